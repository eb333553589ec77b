import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Job } from '../contract/job.ts';
import type { WorkerSummary } from '../contract/worker.ts';
import { parseWorkerError } from '../contract/workerError.ts';
import { preciseDuration, shortDuration } from '../text/quantities.ts';
import { shown, type ShownText } from '../text/shownText.ts';

/** State of a job that is being followed. */
export interface JobProgress {
  readonly job: Job;
  readonly elapsedMs: number;
  /** Time in the queue of a running job, in ms. */
  readonly queuedMs?: number | undefined;
  /** Number of jobs in the queue of the endpoint, including this one. */
  readonly inQueue?: number | undefined;
  readonly workers: WorkerSummary | undefined;
  /** Maximum number of workers of the job's endpoint. */
  readonly maxWorkers: number | undefined;
}

/** Describes a followed job in one line, such as `3 s · waiting for a worker: 1 initializing · 4 jobs in the queue`. */
export function progressWords({ job, elapsedMs, queuedMs, inQueue, workers, maxWorkers }: JobProgress): ShownText {
  const state = stateWords({ job, workers, maxWorkers });
  if (job.status === 'IN_QUEUE') {
    const others = inQueue === undefined || inQueue < 2 ? '' : l10n.t` · ${inQueue} jobs in the queue`;
    return shown`${shortDuration(elapsedMs)} · ${state}${others}`;
  }
  const queued =
    queuedMs === undefined || queuedMs < 1_000 ? '' : l10n.t` after ${shortDuration(queuedMs)} in the queue`;
  return shown`${shortDuration(elapsedMs - (queuedMs ?? 0))}${queued} · ${state}`;
}

/** Describes the state of a followed job without its times, such as `running on worker1: 50 %`. */
function stateWords({ job, workers, maxWorkers }: Pick<JobProgress, 'job' | 'workers' | 'maxWorkers'>): string {
  switch (job.status) {
    case 'IN_QUEUE':
      return queueWords(workers, maxWorkers);
    case 'IN_PROGRESS': {
      const progress = job.output === undefined || job.output === null ? '' : `: ${progressText(job.output)}`;
      return job.workerId === undefined ? l10n.t`running${progress}` : l10n.t`running on ${job.workerId}${progress}`;
    }
    default:
      return statusWords(job.status);
  }
}

const Percent = z.number().min(0).max(100);
const Progress = z.union([
  // The number 1 can be a percentage or a fraction.
  Percent.refine((number) => number !== 1).transform((number) => (number < 1 ? number * 100 : number)),
  z.strictObject({ percent: Percent }).transform(({ percent }) => percent),
  z.strictObject({ percentage: Percent }).transform(({ percentage }) => percentage),
]);

/** Returns the progress that a worker reports: a percentage in words, and any other value as one line of JSON. */
function progressText(value: unknown): string {
  const { data: percent } = Progress.safeParse(value);
  return percent === undefined ? oneLine(value, 60) : `${Math.round(percent)} %`;
}

/** Describes why a job or a request waits. */
export function queueWords(workers: WorkerSummary | undefined, maxWorkers: number | undefined): string {
  if (maxWorkers === 0) return l10n.t('waiting: the endpoint is paused (no workers allowed)');
  if (!workers) return l10n.t('waiting for a worker');
  const parts = [
    [workers.initializing, l10n.t('initializing')],
    [workers.throttled, l10n.t('throttled')],
    [workers.unhealthy, l10n.t('unhealthy')],
    [workers.running, l10n.t('busy')],
    [workers.idle, l10n.t('idle')],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  if (counts.length === 1 && workers.unhealthy > 0) return l10n.t`waiting: ${counts[0] ?? ''}, see the worker log`;
  return counts.length > 0
    ? l10n.t`waiting for a worker: ${counts.join(', ')}`
    : l10n.t('waiting for a worker to start');
}

const words: Record<string, string> = {
  IN_QUEUE: l10n.t('in the queue'),
  IN_PROGRESS: l10n.t('running'),
  COMPLETED: l10n.t('completed'),
  FAILED: l10n.t('failed'),
  CANCELLED: l10n.t('canceled'),
  TIMED_OUT: l10n.t('timed out'),
};

/** Ignores inherited properties, because a platform can report any status, such as `constructor`. */
function known(texts: Readonly<Record<string, string>>, status: string): string | undefined {
  return Object.hasOwn(texts, status) ? texts[status] : undefined;
}

/** Returns a status in words. An unknown status appears in lowercase, with spaces for underscores. */
export function statusWords(status: string): string {
  return known(words, status) ?? status.toLowerCase().replaceAll('_', ' ');
}

const icons: Record<string, string> = {
  IN_QUEUE: 'clock',
  IN_PROGRESS: 'sync',
  COMPLETED: 'pass',
  FAILED: 'error',
  CANCELLED: 'circle-slash',
  TIMED_OUT: 'watch',
};

/** Returns the name of the product icon of a status. */
export function statusIcon(status: string): string {
  return known(icons, status) ?? 'question';
}

/** Notification about a job that has ended. */
export interface Outcome {
  readonly severity: 'information' | 'warning' | 'error';
  readonly message: ShownText;
}

/** Returns the notification about a job that has ended. Returns undefined if the job's document is enough. */
export function outcomeOf(job: Job, endpointName: string): Outcome | undefined {
  const subject = shown`The job on “${endpointName}”`;
  switch (job.status) {
    case 'COMPLETED':
      return job.output === undefined || job.output === null
        ? {
            severity: 'warning',
            message: shown`${subject} completed without an output. The worker returned nothing, or its output exceeded the limit of the platform.`,
          }
        : undefined;
    case 'FAILED':
      return { severity: 'error', message: shown`${subject} failed: ${errorMessage(job.error)}` };
    case 'TIMED_OUT':
      return { severity: 'error', message: shown`${subject} timed out: ${timeoutWords(job)}` };
    case 'CANCELLED':
      return { severity: 'information', message: shown`${subject} was canceled.` };
    default:
      return { severity: 'warning', message: shown`${subject} is ${statusWords(job.status)}.` };
  }
}

function timeoutWords({ workerId, executionTime, error }: Job): ShownText {
  if (error !== undefined && error !== '') return shown`${errorMessage(error)}`;
  if (workerId === undefined) return shown`no worker took it before it expired.`;
  const ran = executionTime === undefined ? '' : l10n.t` after ${shortDuration(executionTime)}`;
  return shown`it exceeded the endpoint's timeout on worker ${workerId}${ran}.`;
}

/** Returns a worker's error in one line, without its traceback. */
export function errorMessage(error: unknown): string {
  const workerError = parseWorkerError(error);
  if (!workerError) return l10n.t('the worker gave no reason.');
  const message = oneLine(workerError.message, 300);
  return workerError.type === undefined ? message : `${workerError.type}: ${message}`;
}

/** Returns a value as one line of at most `length` UTF-16 code units. */
export function oneLine(value: unknown, length: number): string {
  const text = (typeof value === 'string' ? value : jsonOf(value)).replace(/\s+/g, ' ').trim();
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Returns the JSON of a value, or `…` for a value that is nested too deeply for `JSON.stringify`. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}

/** Minimum wait in the queue that is reported, in ms. */
const SHORT_WAIT_MS = 50;

/** Describes the status and times of a job, such as `completed in 1.2 s after 300 ms in the queue`. */
export function timesWords({ status, executionTime, delayTime }: Job): string {
  const ran = executionTime === undefined ? '' : l10n.t` in ${preciseDuration(executionTime)}`;
  const waited =
    delayTime === undefined || delayTime < SHORT_WAIT_MS
      ? ''
      : l10n.t` after ${preciseDuration(delayTime)} in the queue`;
  return `${statusWords(status)}${ran}${waited}`;
}

/** Formats an age, such as `just now`, `5 min ago`, `3 h ago`, or `2 days ago`. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return l10n.t('just now');
  if (minutes < 60) return l10n.t`${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return l10n.t`${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? l10n.t('yesterday') : l10n.t`${days} days ago`;
}
