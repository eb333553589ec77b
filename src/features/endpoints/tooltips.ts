import type { Release } from '../../contract/release.ts';
import type { Worker } from '../../contract/worker.ts';
import type { CommandId } from '../../vscode/commandIds.ts';
import type { Diagnosis } from './diagnosis/diagnosis.ts';
import type { EndpointNode } from './endpointNode.ts';
import { hardwareOf, workerState } from './endpointRenderer.ts';
import { isQueue, waitingJobs, type EndpointSnapshot } from './endpointSnapshot.ts';
import { changedValue } from './releaseRenderer.ts';
import { code, commandLink, count, duration, escapeMarkdown, imageName } from './words.ts';

/* What a row tells when it is pointed at: trusted Markdown, so every value is escaped. */

/** The only commands that a tooltip's links may run. */
export const TOOLTIP_COMMANDS: readonly CommandId[] = [
  'cloudCompute.jobs.run',
  'cloudCompute.logs.open',
  'cloudCompute.endpoints.explain',
  'cloudCompute.endpoints.edit',
  'cloudCompute.endpoints.scale',
  'cloudCompute.endpoints.open',
  'cloudCompute.endpoints.copyId',
  'cloudCompute.endpoints.copyUrl',
  'cloudCompute.endpoints.refreshOne',
];

/** @param diagnosis missing: nothing was looked into */
export function endpointTooltip(snapshot: EndpointSnapshot, diagnosis: Diagnosis | undefined): string {
  const { endpoint, health } = snapshot;
  const node: EndpointNode = { kind: 'endpoint', endpointId: endpoint.id };
  const { min, max, idleTimeout } = endpoint.workers;
  const idle = idleTimeout === undefined ? '' : `, idle ones end after ${idleTimeout} s`;
  const rows: [string, string][] = [
    ['Type', isQueue(endpoint) ? 'queue' : 'load-balanced'],
    ['Workers', `${min} to ${max}${idle}`],
    ['Scaling', scalingWords(endpoint.scaling)],
    ...(health
      ? [
          [
            'Jobs',
            `${waitingJobs(snapshot)} waiting, ${health.jobs.inProgress} running, ${health.jobs.completed} completed, ${health.jobs.failed} failed`,
          ] as [string, string],
        ]
      : []),
    ['Hardware', escapeMarkdown(hardwareWords(endpoint))],
    ...(endpoint.image === undefined ? [] : [['Image', code(imageName(endpoint.image))] as [string, string]]),
    ['Timeout', `${endpoint.timeout / 1000} s`],
    ['Id', code(endpoint.id)],
  ];
  const links = [
    ...(isQueue(endpoint) ? [commandLink('Run Job…', 'cloudCompute.jobs.run', node)] : []),
    commandLink('Explain', 'cloudCompute.endpoints.explain', node),
    commandLink('Edit', 'cloudCompute.endpoints.edit', node),
    commandLink('Scale…', 'cloudCompute.endpoints.scale', node),
    commandLink('Copy URL', 'cloudCompute.endpoints.copyUrl', node),
  ];
  return [
    `**${escapeMarkdown(endpoint.name)}**`,
    '',
    ...diagnosisLines(diagnosis),
    ...table(rows),
    '',
    links.join(' | '),
  ].join('\n');
}

function diagnosisLines(diagnosis: Diagnosis | undefined): string[] {
  if (!diagnosis || diagnosis.severity === 'fine') return [];
  const icon = diagnosis.severity === 'trouble' ? '$(warning)' : '$(watch)';
  const [next] = diagnosis.next;
  const link = next ? ` ${commandLink(next.title, next.command, next.node)}` : '';
  const line = tellingLine(diagnosis.evidence);
  return [
    `${icon} **${escapeMarkdown(diagnosis.headline)}**`,
    '',
    `${escapeMarkdown(diagnosis.explanation.trim())}${link}`,
    '',
    ...(line === undefined ? [] : [code(line.slice(0, 200)), '']),
  ];
}

/** The last line that speaks of an error; what comes after is often only where it happened. */
export function tellingLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => /error|exception|fatal|panic|denied|not found/i.test(line)) ?? lines.at(-1);
}

export function workerTooltip(worker: Worker, endpointId: string): string {
  const node: EndpointNode = { kind: 'worker', endpointId, workerId: worker.id };
  const rows: [string, string][] = [
    ['State', escapeMarkdown(workerState(worker))],
    ['Hardware', escapeMarkdown(hardwareOf(worker))],
    ...(worker.uptimeSeconds == null ? [] : [['Up', duration(worker.uptimeSeconds)] as [string, string]]),
    ...(worker.version == null
      ? []
      : [['Version', `${worker.version}${worker.isStale ? ', older than the endpoint’s' : ''}`] as [string, string]]),
    ...(worker.dataCenterId == null ? [] : [['Data center', escapeMarkdown(worker.dataCenterId)] as [string, string]]),
    ...(worker.image == null ? [] : [['Image', code(imageName(worker.image))] as [string, string]]),
  ];
  const links = [
    commandLink('Show Logs', 'cloudCompute.logs.open', node),
    commandLink('Copy Id', 'cloudCompute.endpoints.copyId', node),
    commandLink('Explain Endpoint', 'cloudCompute.endpoints.explain', { kind: 'endpoint', endpointId }),
  ];
  return [`**Worker ${code(worker.id)}**`, '', ...table(rows), '', links.join(' | ')].join('\n');
}

export function releaseTooltip(release: Release): string {
  const created = new Date(release.createdAt).toLocaleString();
  const head = `**${release.version == null ? code(release.id) : `Version ${release.version}`}**, ${escapeMarkdown(created)}`;
  if (release.diff.length === 0) return `${head}\n\nThe first one.`;
  const changes = release.diff.map((entry) => {
    const [before, after] = [entry.old, entry.new].map((value) => code(changedValue(entry, value).slice(0, 120)));
    return `| ${escapeMarkdown(entry.field)} | ${before ?? ''} | ${after ?? ''} |`;
  });
  const on = release.workerCount > 0 ? `\n\n${count(release.workerCount, 'worker')} on it.` : '';
  return `${[head, '', '| | before | after |', '|---|---|---|', ...changes].join('\n')}${on}`;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
}

function hardwareWords({ gpu, cpu }: EndpointSnapshot['endpoint']): string {
  if (cpu) return cpu.map(({ id, vcpuCount }) => `${id}, ${vcpuCount} vCPU`).join(' or ');
  if (!gpu) return 'unknown';
  return `${gpu.count ?? 1} GPU of ${gpu.pools.join(', ')}`;
}

function scalingWords({ type, queueDelay, requestCount }: EndpointSnapshot['endpoint']['scaling']): string {
  if (type === 'QUEUE_DELAY') return `one more worker when a job waits ${queueDelay ?? '?'} s`;
  if (type === 'REQUEST_COUNT') return `one worker for ${count(requestCount ?? 0, 'request')}`;
  return type === undefined ? 'unknown' : escapeMarkdown(type);
}
