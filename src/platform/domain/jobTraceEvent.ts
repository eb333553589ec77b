import * as z from 'zod';
import { MAX_ATTEMPTS, type JobEvent, type JobRecord } from './job.ts';
import { AtLeastOne, Count, Moment } from './recordFields.ts';

/* Recorded events of jobs: only those that the record of the job does not contain. */

export const JobTraceEvent = z.discriminatedUnion('kind', [
  /** An attempt ended, and the job returned to the queue at `at`. */
  z.object({
    ...{ kind: z.literal('attemptEnded'), at: Moment, attempt: AtLeastOne },
    /** When a worker took the job. Omitted if none did. */
    startedAt: Moment.optional(),
    endedAt: Moment,
    workerId: z.string().optional(),
    release: Count.optional(),
    outcome: z.enum(['failed', 'timedOut', 'workerLost', 'returned']),
    reason: z.string().optional(),
  }),
  z.object({ kind: z.literal('firstChunk'), at: Moment, attempt: AtLeastOne }),
  z.object({ kind: z.literal('lastChunk'), at: Moment, attempt: AtLeastOne }),
  /** A delivery of the webhook ended at `at`. */
  z.object({
    ...{ kind: z.literal('webhook'), startedAt: Moment, at: Moment, attempt: AtLeastOne },
    /** Origin of the receiver. The rest of the URL may contain a secret. */
    origin: z.string(),
    outcome: z.enum(['ok', 'failed']),
    reason: z.string().optional(),
  }),
]);
export type JobTraceEvent = z.infer<typeof JobTraceEvent>;
export type DeliveryEvent = Extract<JobTraceEvent, { kind: 'webhook' }>;

/** Maximum length of the reason of an attempt, in characters. */
const MAX_REASON_LENGTH = 500;

/** Returns the error of a job as a reason, or undefined if it has none. */
export function reasonOf({ error }: Pick<JobRecord, 'error'>): string | undefined {
  if (error === undefined) return undefined;
  return shortened(typeof error === 'string' ? error : JSON.stringify(error));
}

const shortened = (text: string): string =>
  text.length <= MAX_REASON_LENGTH ? text : `${text.slice(0, MAX_REASON_LENGTH - 1)}…`;

/** Returns how the last attempt of an ended job ended. */
export function endedOutcome({
  status,
  lostWorkers,
}: Pick<JobRecord, 'status' | 'lostWorkers'>): 'failed' | 'timedOut' | 'workerLost' {
  if (status === 'TIMED_OUT') return 'timedOut';
  return lostWorkers >= MAX_ATTEMPTS ? 'workerLost' : 'failed';
}

/** Returns the event to record for a change that returned a job to the queue, or undefined for any other change. */
export function requeueEvent(
  { before, after }: { readonly before: JobRecord; readonly after: JobRecord },
  event: JobEvent,
  now: number,
): JobTraceEvent | undefined {
  // A job fails once it has lost too many workers.
  if (after.status !== 'IN_QUEUE') return undefined;
  if (event.kind !== 'workerLost' && event.kind !== 'returned' && event.kind !== 'retried') return undefined;
  const { startedAt, finishedAt, workerId, release, retries } = before;
  const at = Math.max(now, before.queuedAt, startedAt ?? 0, finishedAt ?? 0);
  const attempt = { kind: 'attemptEnded', at, attempt: retries + 1, startedAt, workerId, release } as const;
  if (event.kind === 'retried')
    return { ...attempt, endedAt: finishedAt ?? at, outcome: endedOutcome(before), reason: reasonOf(before) };
  if (event.kind === 'returned') return { ...attempt, endedAt: at, outcome: 'returned' };
  return { ...attempt, endedAt: at, outcome: 'workerLost', reason: shortened(`the worker ${event.reason}`) };
}
