import { PROCESS_IMAGE_PREFIX } from '../../contract/manifest.ts';
import type { Worker, WorkerSummary } from '../../contract/worker.ts';
import type { EndpointSnapshot } from './endpointStore.ts';

/** How a row of the tree looks; made without VS Code, so that it is tested without it. */
export interface Row {
  readonly label: string;
  readonly description: string;
  /** Name of a product icon, and of the theme colour that tints it. */
  readonly icon: string;
  readonly color: string | undefined;
  /** Value of `viewItem` in `when` clauses. */
  readonly contextValue: string;
  /** Markdown. */
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
}

interface Appearance {
  readonly icon: string;
  readonly color?: string;
}

const GREEN = 'testing.iconPassed';
const RED = 'testing.iconFailed';
const YELLOW = 'list.warningForeground';

/** States of an endpoint, the most urgent first. */
function endpointState(summary: WorkerSummary, max: number): Appearance & { readonly words: string } {
  const { running, idle, initializing, throttled, unhealthy } = summary;
  if (unhealthy > 0) return { words: count(unhealthy, 'worker') + ' unhealthy', icon: 'error', color: RED };
  if (running > 0) return { words: `${running} running`, icon: 'sync~spin', color: GREEN };
  if (initializing > 0) return { words: `${initializing} initializing`, icon: 'loading~spin' };
  if (throttled > 0) return { words: `${throttled} throttled`, icon: 'warning', color: YELLOW };
  if (idle > 0) return { words: `${idle} idle`, icon: 'pass', color: GREEN };
  if (max === 0) return { words: 'paused: at most 0 workers', icon: 'debug-pause', color: YELLOW };
  return { words: 'no workers', icon: 'circle-outline' };
}

export function renderEndpoint({ endpoint, workers, deleting }: EndpointSnapshot): Row {
  const type = endpoint.type ?? 'QUEUE';
  const state: ReturnType<typeof endpointState> = deleting
    ? { words: 'Deleting…', icon: 'loading~spin' }
    : workers
      ? endpointState(workers.summary, endpoint.workers.max)
      : { words: 'workers unknown', icon: 'question' };
  const { min, max } = endpoint.workers;
  const tooltip = [
    `**${escapeMarkdown(endpoint.name)}** — ${state.words}`,
    '',
    `| | |`,
    `|---|---|`,
    `| Type | ${type === 'LOAD_BALANCER' ? 'load-balanced' : 'queue'} |`,
    `| Workers | ${min} to ${max} |`,
    `| Scaling | ${scalingWords(endpoint.scaling)} |`,
    ...(endpoint.image === undefined ? [] : [`| Image | ${code(imageName(endpoint.image))} |`]),
    `| Timeout | ${endpoint.timeout / 1000} s |`,
    `| Id | ${code(endpoint.id)} |`,
  ].join('\n');
  return {
    label: endpoint.name,
    description: state.words,
    icon: state.icon,
    color: state.color,
    contextValue: deleting ? 'endpointDeleting' : `endpoint.${type}`,
    tooltip,
    spoken: `Endpoint ${endpoint.name}, ${state.words}`,
  };
}

const workerAppearance: Record<string, Appearance & { readonly words: string }> = {
  RUNNING: { words: 'running', icon: 'sync~spin', color: GREEN },
  IDLE: { words: 'idle', icon: 'pass', color: GREEN },
  INITIALIZING: { words: 'initializing', icon: 'loading~spin' },
  THROTTLED: { words: 'throttled', icon: 'warning', color: YELLOW },
  UNHEALTHY: { words: 'unhealthy', icon: 'error', color: RED },
};

export function renderWorker(worker: Worker): Row {
  const state = workerAppearance[worker.status] ?? { words: worker.status.toLowerCase(), icon: 'question' };
  const stale = worker.isStale ? ', old version' : '';
  const uptime = worker.uptimeSeconds == null ? '' : `, up ${duration(worker.uptimeSeconds)}`;
  const hardware = worker.gpuCount > 0 ? `${worker.gpuTypeId ?? 'GPU'} × ${worker.gpuCount}` : 'CPU';
  const tooltip = [
    `**Worker ${code(worker.id)}** — ${state.words}`,
    '',
    `| | |`,
    `|---|---|`,
    `| Hardware | ${escapeMarkdown(hardware)} |`,
    ...(worker.version == null ? [] : [`| Version | ${worker.version}${stale} |`]),
    ...(worker.startedAt == null ? [] : [`| Started | ${worker.startedAt} |`]),
    ...(worker.image == null ? [] : [`| Image | ${code(imageName(worker.image))} |`]),
  ].join('\n');
  return {
    label: worker.id,
    description: `${state.words}${uptime}${stale}`,
    icon: state.icon,
    color: state.color,
    contextValue: 'worker',
    tooltip,
    spoken: `Worker ${worker.id}, ${state.words}${uptime}${stale}`,
  };
}

function scalingWords({ type, queueDelay, requestCount }: EndpointSnapshot['endpoint']['scaling']): string {
  if (type === 'QUEUE_DELAY') return `one more worker when a job waits ${queueDelay ?? '?'} s`;
  if (type === 'REQUEST_COUNT') return `one worker for ${count(requestCount ?? 0, 'request')}`;
  return type ?? 'unknown';
}

/** A process image is a directory of this machine: its last part says enough. */
function imageName(image: string): string {
  if (!image.startsWith(PROCESS_IMAGE_PREFIX)) return image;
  return `${PROCESS_IMAGE_PREFIX}…/${image.split(/[\\/]/).filter(Boolean).at(-1) ?? ''}`;
}

/** `59 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>]/g, '\\$&');
}

/** A code span in a table cell: a backtick would end it, a bar would end the cell. */
function code(text: string): string {
  return `\`${text.replace(/[`|]/g, '')}\``;
}
