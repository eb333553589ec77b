import * as l10n from '@vscode/l10n';
import type { CommandId } from '../../../kit/commandIds.ts';
import {
  code,
  commandLink,
  formatted,
  joinedMarkdown,
  table,
  type Markdown,
  type MarkdownValue,
} from '../../../text/markdown.ts';
import { isTerminal } from '../../../contract/job.ts';
import { costWords, pricePerHour } from '../../../account/prices/money.ts';
import { preciseDuration, shortDuration } from '../../../text/quantities.ts';
import { statusWords } from '../../../account/jobWords.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { JobNode } from './jobList.ts';
import { elapsedMs, estimatedCost, isActive, stateOf, type Present } from './jobRows.ts';

/** Commands that the links of a job's tooltip are allowed to run. */
export const JOB_TOOLTIP_COMMANDS: readonly CommandId[] = [
  'cloudCompute.jobs.openResult',
  'cloudCompute.jobs.runAgain',
  'cloudCompute.jobs.cancel',
  'cloudCompute.jobs.showLog',
  'cloudCompute.jobs.copyId',
];

const explanations: Readonly<Record<string, string>> = {
  IN_QUEUE: l10n.t('The job waits for a worker.'),
  IN_PROGRESS: l10n.t('A worker runs the job.'),
  COMPLETED: l10n.t('The worker finished the job.'),
  FAILED: l10n.t('The worker reported an error, or the platform lost the worker. The result contains the reason.'),
  CANCELLED: l10n.t('The job was canceled, or its queue was purged.'),
  TIMED_OUT: l10n.t('The job exceeded its time limit, or no worker took it before it expired.'),
};

const WAITING = l10n.t('The local platform is not running. The job resumes when the platform starts.');

/** Explains a status in one or two sentences. */
export function explainStatus({ status, gone = false }: Pick<StoredJob, 'status' | 'gone'>): string {
  if (gone)
    return isTerminal(status)
      ? l10n.t('The platform no longer has the result.')
      : l10n.t('The platform no longer has the job. Its result expired, or the platform was reset.');
  return Object.hasOwn(explanations, status)
    ? (explanations[status] ?? '')
    : l10n.t('The platform reports a status that this version of the extension does not know.');
}

type Fact = readonly [name: string, value: MarkdownValue];

/** Returns the tooltip of a job. */
export function jobTooltip(job: StoredJob, node: JobNode, { now, isStopped }: Present): Markdown {
  const isWaiting = isStopped && isActive(job);
  const { delayTime, executionTime, workerId } = job;
  const submitted = new Date(job.submittedAt).toLocaleString();
  const isElsewhere = job.notStored === 'submittedElsewhere';
  const elapsed = isActive(job) && !isWaiting ? shortDuration(elapsedMs(job, now)) : undefined;
  const isRunning = job.status === 'IN_PROGRESS' && !isWaiting;
  const cost = isActive(job) && isRunning ? runningCost(job, now) : estimatedCost(job);
  const waited = delayTime === undefined ? (isRunning ? undefined : elapsed) : preciseDuration(delayTime);
  const ran = executionTime === undefined ? (isRunning ? elapsed : undefined) : preciseDuration(executionTime);
  const facts: readonly Fact[] = [
    [l10n.t('Status'), isWaiting ? l10n.t('waits for the platform') : statusWords(job.status)],
    ['ID', code(job.id)],
    [l10n.t('Endpoint'), formatted`${job.endpointName} (${code(job.endpointId)})`],
    ...(workerId === undefined ? [] : [[l10n.t('Worker'), code(workerId)] as const]),
    [isElsewhere ? l10n.t('Added') : l10n.t('Submitted'), submitted],
    ...(waited === undefined ? [] : [[l10n.t('Time in the queue'), waited] as const]),
    ...(ran === undefined ? [] : [[l10n.t('Run time'), ran] as const]),
    ...(cost === undefined
      ? []
      : [[isActive(job) ? l10n.t('Cost so far') : l10n.t('Cost'), costFact(cost, job)] as const]),
  ];
  return joinedMarkdown(
    [
      formatted`**${job.endpointName}**`,
      isWaiting ? WAITING : explainStatus(job),
      table(facts),
      joinedMarkdown(linksOf(job, node), ' | '),
    ],
    '\n\n',
  );
}

/** Returns the cost of a running job until now, in USD. */
function runningCost(job: StoredJob, now: number): number | undefined {
  return estimatedCost({ ...job, executionTime: elapsedMs(job, now) });
}

function costFact(cost: number, { pricePerHour: price = 0, isWorkerPrice = false }: StoredJob): string {
  const rate = isWorkerPrice
    ? l10n.t`${pricePerHour(price)} of its worker`
    : l10n.t`up to ${pricePerHour(price)} for one worker`;
  return l10n.t`${costWords(cost)}, estimated: run time at ${rate}, without starts and idle time`;
}

function linksOf(job: StoredJob, node: JobNode): readonly Markdown[] {
  const isElsewhere = job.notStored === 'submittedElsewhere';
  return [
    commandLink(l10n.t('Open Result'), 'cloudCompute.jobs.openResult', node),
    ...(isElsewhere ? [] : [commandLink(l10n.t('Run Again'), 'cloudCompute.jobs.runAgain', node)]),
    ...(stateOf(job) === 'active' ? [commandLink(l10n.t('Cancel'), 'cloudCompute.jobs.cancel', node)] : []),
    ...(job.workerId === undefined ? [] : [commandLink(l10n.t('Show Log Lines'), 'cloudCompute.jobs.showLog', node)]),
    commandLink(l10n.t('Copy ID'), 'cloudCompute.jobs.copyId', node),
  ];
}
