import { isTerminal } from '../../contract/job.ts';
import type { JobRecord } from './job.ts';
import type { Measured, Outcome } from './measured.ts';

/* What the changes of a job add to the metrics of its endpoint. */

/** A change of a job. `before` is undefined for a new job. */
export interface JobChange {
  readonly before: JobRecord | undefined;
  readonly after: JobRecord;
}

/** What a change adds, and when. */
export interface JobMeasurement {
  /** Time of the change, in ms since the epoch. */
  readonly at: number;
  /** Release of the worker. Undefined if no worker has the job. */
  readonly release: number | undefined;
  readonly add: (measured: Measured) => void;
}

/** Returns what a change at `now` adds, or undefined if it adds nothing. */
export function jobMeasurement({ before, after }: JobChange, now: number): JobMeasurement | undefined {
  if (!before) return { at: after.createdAt, release: undefined, add: (measured) => void measured.arrivals++ };
  if (before.status === after.status) return undefined;
  if (after.status === 'IN_QUEUE') {
    return { at: now, release: before.release, add: (measured) => void measured.retries++ };
  }
  const { createdAt, queuedAt, startedAt, finishedAt = now, release } = after;
  if (!isTerminal(after.status)) {
    const at = startedAt ?? now;
    return { at, release, add: (measured) => measured.addDuration('queueDelay', at - queuedAt) };
  }
  const add = (measured: Measured): void => {
    measured.addOutcome(after.status as Outcome);
    measured.addDuration('endToEnd', finishedAt - createdAt);
    if (startedAt !== undefined) measured.addDuration('execution', finishedAt - startedAt);
  };
  return { at: finishedAt, release, add };
}

/** Returns by how many jobs the queue becomes longer. */
export function queueGrowth({ before, after }: JobChange): number {
  return Number(after.status === 'IN_QUEUE') - Number(before?.status === 'IN_QUEUE');
}
