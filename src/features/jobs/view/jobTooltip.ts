import type { CommandId } from '../../../vscode/commandIds.ts';
import {
  code,
  commandLink,
  formatted,
  joinedMarkdown,
  table,
  type Markdown,
  type MarkdownValue,
} from '../../../vscode/text/markdown.ts';
import { isTerminal } from '../../../contract/job.ts';
import { costWords, pricePerHour } from '../../costs/model/money.ts';
import type { StoredJob } from '../jobHistoryStore.ts';
import { preciseSeconds, seconds, statusWords } from '../jobWords.ts';
import type { JobNode } from './jobNode.ts';
import { elapsedMs, estimatedCost, isActive, stateOf } from './jobRows.ts';

/** Commands that the links of a job's tooltip are allowed to run. */
export const JOB_TOOLTIP_COMMANDS: readonly CommandId[] = [
  'cloudCompute.jobs.openResult',
  'cloudCompute.jobs.runAgain',
  'cloudCompute.jobs.cancel',
  'cloudCompute.jobs.showLog',
  'cloudCompute.jobs.copyId',
];

const explanations: Readonly<Record<string, string>> = {
  IN_QUEUE: 'The job waits for a worker.',
  IN_PROGRESS: 'A worker runs the job.',
  COMPLETED: 'The worker finished the job.',
  FAILED: 'The worker reported an error, or the platform lost the worker. The result contains the reason.',
  CANCELLED: 'The job was canceled, or its queue was purged.',
  TIMED_OUT: 'The job exceeded its time limit, or no worker took it before it expired.',
};

/** Explains a status in one or two sentences. */
export function explainStatus({ status, gone = false }: Pick<StoredJob, 'status' | 'gone'>): string {
  if (gone)
    return isTerminal(status)
      ? 'The platform no longer has the result.'
      : 'The platform no longer has the job. Its result expired, or the platform was reset.';
  return Object.hasOwn(explanations, status)
    ? (explanations[status] ?? '')
    : 'The platform reports a status that this version of the extension does not know.';
}

type Fact = readonly [name: string, value: MarkdownValue];

/** Returns the tooltip of a job. @param now ms since the epoch */
export function jobTooltip(job: StoredJob, node: JobNode, now: number): Markdown {
  const { delayTime, executionTime, workerId } = job;
  const submitted = new Date(job.submittedAt).toLocaleString();
  const isElsewhere = job.notStored === 'submittedElsewhere';
  const elapsed = isActive(job) ? seconds(elapsedMs(job, now)) : undefined;
  const isRunning = job.status === 'IN_PROGRESS';
  const cost = isActive(job) && isRunning ? runningCost(job, now) : estimatedCost(job);
  const waited = delayTime === undefined ? (isRunning ? undefined : elapsed) : preciseSeconds(delayTime);
  const ran = executionTime === undefined ? (isRunning ? elapsed : undefined) : preciseSeconds(executionTime);
  const facts: readonly Fact[] = [
    ['Status', statusWords(job.status)],
    ['ID', code(job.id)],
    ['Endpoint', formatted`${job.endpointName} (${code(job.endpointId)})`],
    ...(workerId === undefined ? [] : [['Worker', code(workerId)] as const]),
    [isElsewhere ? 'Added' : 'Submitted', submitted],
    ...(waited === undefined ? [] : [['Time in the queue', waited] as const]),
    ...(ran === undefined ? [] : [['Run time', ran] as const]),
    ...(cost === undefined ? [] : [[isActive(job) ? 'Cost so far' : 'Cost', costFact(cost, job)] as const]),
  ];
  return joinedMarkdown(
    [formatted`**${job.endpointName}**`, explainStatus(job), table(facts), joinedMarkdown(linksOf(job, node), ' | ')],
    '\n\n',
  );
}

/** Returns the cost of a running job until now, in USD. */
function runningCost(job: StoredJob, now: number): number | undefined {
  return estimatedCost({ ...job, executionTime: elapsedMs(job, now) });
}

function costFact(cost: number, { pricePerHour: price = 0, isWorkerPrice = false }: StoredJob): string {
  const rate = isWorkerPrice ? `${pricePerHour(price)} of its worker` : `up to ${pricePerHour(price)} for one worker`;
  return `${costWords(cost)}, estimated: run time at ${rate}, without starts and idle time`;
}

function linksOf(job: StoredJob, node: JobNode): readonly Markdown[] {
  const isElsewhere = job.notStored === 'submittedElsewhere';
  return [
    commandLink('Open Result', 'cloudCompute.jobs.openResult', node),
    ...(isElsewhere ? [] : [commandLink('Run Again', 'cloudCompute.jobs.runAgain', node)]),
    ...(stateOf(job) === 'active' ? [commandLink('Cancel', 'cloudCompute.jobs.cancel', node)] : []),
    ...(job.workerId === undefined ? [] : [commandLink('Show Log Lines', 'cloudCompute.jobs.showLog', node)]),
    commandLink('Copy ID', 'cloudCompute.jobs.copyId', node),
  ];
}
