import type { JobTrace, TraceSpan } from '../../../../contract/control/controlTraces.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import { isTerminal } from '../../../../contract/job.ts';
import type { StoredJob } from '../storedJob.ts';

/** A span of the life of a job, with times in ms since the epoch. */
export interface LifeSpan extends Readonly<
  Pick<TraceSpan, 'kind' | 'attempt' | 'workerId' | 'outcome' | 'name' | 'reason' | 'bytes'>
> {
  readonly start: number;
  /** Undefined while the span has not ended. */
  readonly end: number | undefined;
}

/** The life of a job until `now`. All times are in ms since the epoch. */
export interface JobLife {
  readonly jobId: string;
  readonly status: string;
  /** Undefined if this editor did not submit the job, and the platform does not tell the time. */
  readonly submittedAt: number | undefined;
  /** Time of the end. Undefined if the job has not ended, or if the time is not known. */
  readonly finishedAt: number | undefined;
  readonly spans: readonly LifeSpan[];
  readonly now: number;
  /** `trace`: the platform recorded it. `reported`: from the times of the job alone. `gone`: likewise, because the platform no longer has the job. */
  readonly source: 'trace' | 'reported' | 'gone';
}

/** Returns the life of a job that the platform recorded. @param now the present of the platform, in ms since the epoch */
export function lifeOfTrace({ jobId, status, createdAt, finishedAt, spans }: JobTrace, now: number): JobLife {
  return {
    ...{ jobId, status, now, source: 'trace' },
    submittedAt: millisecondsOf(createdAt),
    finishedAt: finishedAt === undefined ? undefined : millisecondsOf(finishedAt),
    spans: spans.map(({ start, end, ...span }) => ({
      ...span,
      start: millisecondsOf(start),
      end: end === undefined ? undefined : millisecondsOf(end),
    })),
  };
}

/** A job as each platform reports it. */
export type ReportedJob = Pick<StoredJob, 'id' | 'status' | 'delayTime' | 'executionTime' | 'workerId'> & {
  /** Time of the submission in ms since the epoch. Undefined: not known. */
  readonly submittedAt: number | undefined;
};

/**
 * Returns the life of a job from its times in the queue and on the worker. A time that is not known has no span.
 *
 * @param now the present, in ms since the epoch
 */
export function lifeOfJob(job: ReportedJob, now: number, source: 'reported' | 'gone'): JobLife {
  const { id, status, submittedAt, delayTime, executionTime, workerId } = job;
  const hasEnded = isTerminal(status) || source === 'gone';
  // Durations without a known beginning are drawn from any beginning.
  const base = submittedAt ?? 0;
  const taken = delayTime === undefined ? undefined : base + delayTime;
  const ran = taken === undefined || executionTime === undefined ? undefined : taken + executionTime;
  const isOpen = (isStatus: string) => submittedAt !== undefined && !hasEnded && status === isStatus;
  const queued = taken !== undefined || isOpen('IN_QUEUE');
  const ranAtAll = taken !== undefined && (ran !== undefined || isOpen('IN_PROGRESS'));
  const worker = workerId === undefined ? {} : { workerId };
  return {
    ...{ jobId: id, status, submittedAt, now, source },
    finishedAt: isTerminal(status) ? ran : undefined,
    spans: [
      ...(queued ? [{ kind: 'queued', start: base, end: taken } as const] : []),
      ...(ranAtAll ? [{ kind: 'running', start: taken, end: ran, ...worker } as const] : []),
    ],
  };
}

/** Returns whether the life of a job is unfinished. */
export function isLive({ status, source, spans }: JobLife): boolean {
  if (source === 'gone') return false;
  return !isTerminal(status) || spans.some(({ end }) => end === undefined);
}

/** Returns the time from the submission to the end, or until now, in ms. Undefined if it is not known. */
export function totalOf({ status, source, submittedAt, finishedAt, spans, now }: JobLife): number | undefined {
  if (finishedAt !== undefined) return finishedAt - (submittedAt ?? spans[0]?.start ?? finishedAt);
  if (submittedAt === undefined || isTerminal(status) || source === 'gone') return undefined;
  return Math.max(now - submittedAt, 0);
}
