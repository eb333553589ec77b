import * as l10n from '@vscode/l10n';
import type { Release } from '../../contract/release.ts';
import type { Worker } from '../../contract/worker.ts';
import type { CommandId } from '../../kit/commandIds.ts';
import {
  endpointCostFacts,
  workerCostFact,
  type EndpointCosts,
  type LocatedCost,
} from '../../account/prices/costFacts.ts';
import type { Diagnosis } from '../../account/diagnosis/diagnosis.ts';
import { failureLine } from '../../account/diagnosis/logFindings.ts';
import type { EndpointNode } from '../../account/endpoints/endpointNode.ts';
import { hardwareOf, workerState } from './endpointRenderer.ts';
import type { LastHour } from './metrics/actions/lastHour.ts';
import { shortDuration } from './metrics/model/sparkline.ts';
import { isQueue, waitingJobs, type EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { deploymentWords, type ReleaseDeployment } from './model/releaseWords.ts';
import { changedValue } from './releaseRenderer.ts';
import {
  code,
  commandLink,
  formatted,
  joinedMarkdown,
  table,
  type Markdown,
  type MarkdownValue,
} from '../../text/markdown.ts';
import { foreign, type ShownText } from '../../text/shownText.ts';
import { duration } from '../../text/quantities.ts';
import { imageName } from '../../account/endpoints/words.ts';
import { waitReason } from '../../account/endpoints/workerStart.ts';

/* Tooltips of rows. Their links run commands. */

type Fact = readonly [name: string, value: MarkdownValue];

/** Commands that the links in a tooltip are allowed to run. */
export const TOOLTIP_COMMANDS: readonly CommandId[] = [
  'cloudCompute.jobs.run',
  'cloudCompute.logs.open',
  'cloudCompute.endpoints.explain',
  'cloudCompute.endpoints.showMetrics',
  'cloudCompute.endpoints.edit',
  'cloudCompute.endpoints.scale',
  'cloudCompute.endpoints.open',
  'cloudCompute.endpoints.copyId',
  'cloudCompute.copyAs',
  'cloudCompute.endpoints.refreshOne',
  'cloudCompute.costs.estimate',
  'cloudCompute.registries.create',
  'cloudCompute.localPlatform.pullImage',
  'cloudCompute.localPlatform.chooseEngine',
  'cloudCompute.localPlatform.removeUnusedImages',
  'cloudCompute.endpoints.runWithoutGpus',
];

const PARAGRAPH = '\n\n';
const LINK_SEPARATOR = ' | ';
/** Maximum length of an explanation, in UTF-16 code units. It contains a worker ID and an image, so it is longer than other values. */
const LONGEST_EXPLANATION = 2_000;

/**
 * @param diagnosis undefined if the endpoint was not diagnosed
 * @param chatModels models that the chat of the editor can use
 * @param lastHour undefined if it was not measured
 * @param alerts conditions of the manifest that hold
 */
export function endpointTooltip(
  snapshot: EndpointSnapshot,
  diagnosis: Diagnosis | undefined,
  costs: EndpointCosts = {},
  chatModels: readonly string[] = [],
  lastHour?: LastHour,
  alerts: readonly ShownText[] = [],
): Markdown {
  const { endpoint, health } = snapshot;
  const node: EndpointNode = { kind: 'endpoint', endpointId: endpoint.id };
  const { min, max, idleTimeout } = endpoint.workers;
  const idle = idleTimeout === undefined ? '' : l10n.t`, stopped after ${idleTimeout} s idle`;
  const rows: Fact[] = [
    [l10n.t('Type'), isQueue(endpoint) ? l10n.t('queue') : l10n.t('load-balanced')],
    [l10n.t('Workers'), l10n.t`${min} to ${max}${idle}`],
    [l10n.t('Scaling'), scalingWords(endpoint.scaling)],
    ...(health
      ? [
          [
            l10n.t('Jobs'),
            l10n.t`${waitingJobs(snapshot)} waiting, ${health.jobs.inProgress} running, ${health.jobs.completed} completed, ${health.jobs.failed} failed`,
          ] as const,
        ]
      : []),
    ...(lastHour ? [lastHourFact(lastHour)] : []),
    [l10n.t('Hardware'), hardwareWords(endpoint)],
    ...endpointCostFacts(costs),
    ...(endpoint.image === undefined ? [] : [[l10n.t('Image'), code(imageName(endpoint.image))] as const]),
    ...(chatModels.length === 0
      ? []
      : [
          [
            l10n.t('Chat models'),
            joinedMarkdown(
              chatModels.map((id) => code(id)),
              ', ',
            ),
          ] as const,
        ]),
    [l10n.t('Timeout'), l10n.t`${endpoint.timeout / 1000} s`],
    ['ID', code(endpoint.id)],
  ];
  const links = [
    ...(isQueue(endpoint) ? [commandLink(l10n.t('Run Job…'), 'cloudCompute.jobs.run', node)] : []),
    commandLink(l10n.t('Explain'), 'cloudCompute.endpoints.explain', node),
    commandLink(l10n.t('Metrics'), 'cloudCompute.endpoints.showMetrics', node),
    commandLink(l10n.t('Edit'), 'cloudCompute.endpoints.edit', node),
    commandLink(l10n.t('Scale…'), 'cloudCompute.endpoints.scale', node),
    commandLink(l10n.t('Estimate Costs…'), 'cloudCompute.costs.estimate', node),
    commandLink(l10n.t('Copy As…'), 'cloudCompute.copyAs', node),
  ];
  return joinedMarkdown(
    [
      formatted`**${endpoint.name}**`,
      ...alerts.map((alert) => formatted`$(bell) ${alert}`),
      ...diagnosisParts(diagnosis),
      table(rows),
      joinedMarkdown(links, LINK_SEPARATOR),
    ],
    PARAGRAPH,
  );
}

function lastHourFact({ p99, curve }: LastHour): Fact {
  return [l10n.t('p99, last hour'), formatted`${code(curve)} ${shortDuration(p99)}`];
}

function diagnosisParts(diagnosis: Diagnosis | undefined): Markdown[] {
  if (!diagnosis || diagnosis.severity === 'fine') return [];
  const icon = diagnosis.severity === 'trouble' ? formatted`$(warning)` : formatted`$(watch)`;
  const [next] = diagnosis.next;
  const link = next ? formatted` ${commandLink(next.title, next.command, next.node)}` : formatted``;
  const line = failureLine(diagnosis.evidence);
  return [
    formatted`${icon} **${diagnosis.headline}**`,
    formatted`${foreign(diagnosis.explanation, LONGEST_EXPLANATION)}${link}`,
    ...(line === undefined ? [] : [code(foreign(line, 200))]),
  ];
}

export function workerTooltip(worker: Worker, endpointId: string, cost?: LocatedCost): Markdown {
  const node: EndpointNode = { kind: 'worker', endpointId, workerId: worker.id };
  const reason = worker.start && waitReason(worker.start);
  const rows: Fact[] = [
    [l10n.t('State'), workerState(worker)],
    ...(reason === undefined ? [] : [[l10n.t('Reason'), foreign(reason, LONGEST_EXPLANATION)] as const]),
    [l10n.t('Hardware'), hardwareOf(worker)],
    ...(worker.gpus === undefined || worker.gpus.length === 0 ? [] : [['GPUs', gpuList(worker.gpus)] as const]),
    ...(worker.uptimeSeconds == null ? [] : [[l10n.t('Up'), duration(worker.uptimeSeconds)] as const]),
    ...(cost ? [[l10n.t('Cost'), workerCostFact(cost)] as const] : []),
    ...(worker.version == null
      ? []
      : [[l10n.t('Version'), `${worker.version}${worker.isStale ? l10n.t(', old version') : ''}`] as const]),
    ...(worker.dataCenterId == null ? [] : [[l10n.t('Data center'), worker.dataCenterId] as const]),
    ...(worker.image == null ? [] : [[l10n.t('Image'), code(imageName(worker.image))] as const]),
  ];
  const links = [
    commandLink(l10n.t('Show Logs'), 'cloudCompute.logs.open', node),
    commandLink(l10n.t('Copy ID'), 'cloudCompute.endpoints.copyId', node),
    commandLink(l10n.t('Explain Endpoint'), 'cloudCompute.endpoints.explain', { kind: 'endpoint', endpointId }),
  ];
  const heading = formatted`**Worker ${code(worker.id)}**`;
  return joinedMarkdown([heading, table(rows), joinedMarkdown(links, LINK_SEPARATOR)], PARAGRAPH);
}

function gpuList(ids: readonly string[]): Markdown {
  return joinedMarkdown(
    ids.slice(0, MAX_GPUS).map((id) => code(id)),
    ', ',
  );
}

const MAX_GPUS = 16;

export function releaseTooltip(release: Release, deployment?: ReleaseDeployment): Markdown {
  const created = new Date(release.createdAt).toLocaleString();
  const name = release.version == null ? code(release.id) : l10n.t`Version ${release.version}`;
  const deployed = deployment ? [formatted`${deploymentWords(deployment)}`] : [];
  const head = joinedMarkdown([formatted`**${name}**, ${created}`, ...deployed], PARAGRAPH);
  if (release.diff.length === 0) return formatted`${head}\n\nFirst release.`;
  const changes = release.diff.slice(0, MAX_CHANGES).map((entry) => {
    const value = (of: unknown) => code(foreign(changedValue(entry, of), 120));
    return [entry.field, value(entry.old), value(entry.new)];
  });
  const more = release.diff.length - changes.length;
  return joinedMarkdown(
    [
      head,
      table(changes, ['', l10n.t('Before'), l10n.t('After')]),
      ...(more > 0 ? [more === 1 ? l10n.t('And 1 more change.') : l10n.t`And ${more} more changes.`] : []),
      ...(release.workerCount > 0
        ? [
            release.workerCount === 1
              ? l10n.t('1 worker on this release.')
              : l10n.t`${release.workerCount} workers on this release.`,
          ]
        : []),
    ],
    PARAGRAPH,
  );
}

const MAX_CHANGES = 50;

function hardwareWords({ gpu, cpu }: EndpointSnapshot['endpoint']): string {
  if (cpu) return cpu.map(({ id, vcpuCount }) => l10n.t`${id}, ${vcpuCount} vCPU`).join(l10n.t(' or '));
  if (!gpu) return l10n.t('unknown');
  return l10n.t`${gpu.count ?? 1} GPU of ${gpu.pools.join(', ')}`;
}

function scalingWords({ type, queueDelay, requestCount }: EndpointSnapshot['endpoint']['scaling']): string {
  if (type === 'QUEUE_DELAY') return l10n.t`one more worker once a job has waited ${queueDelay ?? '?'} s`;
  if (type === 'REQUEST_COUNT')
    return requestCount === 1 ? l10n.t('one worker per request') : l10n.t`one worker per ${requestCount ?? 0} requests`;
  return type ?? 'unknown';
}
