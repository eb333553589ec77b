import * as l10n from '@vscode/l10n';
import { notConnected } from '../../../account/connections/requireConnection.ts';
import type { Clock } from '../../../client/clock.ts';
import { isTerminal } from '../../../contract/job.ts';
import type { Row } from '../../../kit/trees.ts';
import { costWords } from '../../../account/prices/money.ts';
import { preciseDuration, shortDuration } from '../../../text/quantities.ts';
import { ago, statusIcon, statusWords } from '../../../account/jobWords.ts';
import { fileOfJob, type StoredJob } from '../model/storedJob.ts';

/* Rows of the jobs view, independent of VS Code. */

/** States that the view distinguishes. `gone`: the platform lost an unfinished job, for example because it was reset. */
export const JOB_STATES = ['active', 'completed', 'failed', 'canceled', 'gone'] as const;
export type JobState = (typeof JOB_STATES)[number];

const states: Readonly<Record<string, JobState>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'canceled',
};

type Stated = Pick<StoredJob, 'status' | 'gone'>;

export function stateOf({ status, gone = false }: Stated): JobState {
  if (!isTerminal(status)) return gone ? 'gone' : 'active';
  return states[status] ?? 'active';
}

export function isActive(job: Stated): boolean {
  return stateOf(job) === 'active';
}

const GREEN = 'testing.iconPassed';
const RED = 'testing.iconFailed';
const GRAY = 'disabledForeground';

const colors: Readonly<Record<JobState, string | undefined>> = {
  active: undefined,
  completed: GREEN,
  failed: RED,
  canceled: undefined,
  gone: GRAY,
};

/** Facts about the present that rows and tooltips contain. */
export interface Present {
  /** Time in ms since the epoch. */
  readonly now: number;
  /** Whether the local platform, which has the jobs, does not run. Unfinished jobs then wait for it. */
  readonly isStopped: boolean;
}

/** Returns the present for the jobs of the current connection. */
export function presentOf(clock: Pick<Clock, 'now'>, connections: Parameters<typeof notConnected>[0]): Present {
  return { now: clock.now(), isStopped: notConnected(connections)?.code === 'localNotRunning' };
}

/** Returns the row of a job. */
export function renderJob(job: StoredJob, present: Present): Row {
  const isWaiting = present.isStopped && isActive(job);
  const isRunning = job.status === 'IN_PROGRESS' && isActive(job) && !isWaiting;
  return {
    label: job.endpointName,
    description: [subjectOf(job) ?? [], factsOf(job, present)].flat().join(' · '),
    icon: isRunning ? 'sync~spin' : isWaiting ? 'debug-pause' : statusIcon(job.status),
    color: job.gone ? GRAY : isRunning ? GREEN : colors[stateOf(job)],
    contextValue: contextValueOf(job),
    spoken: spokenOf(job, present),
  };
}

/** Returns the name of the file, or else the first value of the input. A file with the name of the endpoint would tell nothing. */
function subjectOf(job: StoredJob): string | undefined {
  const file = fileOfJob(job);
  return file !== undefined && file !== job.endpointName ? file : job.firstValue;
}

const WAITS = l10n.t('waits for the platform');

/** Minimum wait in the queue that a row contains, in ms. The tooltip contains shorter ones. */
const LONG_WAIT_MS = 1_000;

function factsOf(job: StoredJob, { now, isStopped }: Present): string[] {
  const { status, executionTime, delayTime = 0, gone = false } = job;
  const state = stateOf(job);
  if (state === 'active' && isStopped) return [WAITS];
  if (state === 'active') return [statusWords(status), shortDuration(elapsedMs(job, now))];
  const age = ago(now - job.submittedAt);
  if (state === 'gone') return [l10n.t('no longer on the platform'), age];
  const cost = estimatedCost(job);
  return [
    statusWords(status),
    ...(executionTime === undefined ? [] : [preciseDuration(executionTime)]),
    ...(delayTime < LONG_WAIT_MS ? [] : [l10n.t`queued ${preciseDuration(delayTime)}`]),
    ...(cost === undefined ? [] : [costWords(cost)]),
    age,
    ...(gone ? [l10n.t('result expired')] : []),
  ];
}

/** The text changes once a minute at most, because a screen reader repeats a text that changes. */
function spokenOf(job: StoredJob, { now, isStopped }: Present): string {
  const { endpointName, status, executionTime, delayTime = 0, gone = false } = job;
  const state = stateOf(job);
  const age = ago(now - job.submittedAt);
  const subject = l10n.t`Job on ${endpointName}`;
  if (state === 'active') return l10n.t`${subject}, ${isStopped ? WAITS : statusWords(status)}, submitted ${age}`;
  if (state === 'gone') return l10n.t`${subject}, no longer on the platform, submitted ${age}`;
  const cost = estimatedCost(job);
  return [
    subject,
    statusWords(status),
    ...(executionTime === undefined ? [] : [l10n.t`ran ${preciseDuration(executionTime)}`]),
    ...(delayTime < LONG_WAIT_MS ? [] : [l10n.t`waited ${preciseDuration(delayTime)} in the queue`]),
    ...(cost === undefined ? [] : [l10n.t`estimated cost ${costWords(cost)}`]),
    age,
    ...(gone ? [l10n.t('result expired')] : []),
  ].join(', ');
}

/** Returns the value of `viewItem`: `job.<state>[.request][.worker]`. */
function contextValueOf(job: StoredJob): string {
  const wasSubmittedHere = job.notStored !== 'submittedElsewhere';
  return [
    'job',
    job.gone ? 'gone' : stateOf(job),
    ...(wasSubmittedHere ? ['request'] : []),
    ...(job.workerId === undefined ? [] : ['worker']),
  ].join('.');
}

/** Returns the time that an unfinished job has run, or has waited in the queue, in ms. */
export function elapsedMs({ status, submittedAt, delayTime = 0 }: StoredJob, now: number): number {
  const since = status === 'IN_PROGRESS' ? submittedAt + delayTime : submittedAt;
  return Math.max(0, now - since);
}

const HOUR_MS = 3_600_000;

/**
 * Returns the run time at the price of a worker, in USD. Undefined if one of them is not known. The platform bills workers by the second
 * from start to end, so starts and idle time are not part of it.
 */
export function estimatedCost({ executionTime, pricePerHour }: StoredJob): number | undefined {
  if (executionTime === undefined || pricePerHour === undefined) return undefined;
  return (executionTime / HOUR_MS) * pricePerHour;
}
