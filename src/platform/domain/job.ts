import type { Job, JobRequest, JobStatus } from '../../contract/job.ts';

/* The state machine of jobs (interface document, "States and transitions"; facts, section 4c). */

/** A job as it is stored. Times are milliseconds since the epoch. */
export interface JobRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  /** The body as it was sent: input, webhook, policy, s3Config and whatever else. */
  readonly request: JobRequest;
  readonly createdAt: number;
  /** When it entered the queue, last. */
  readonly queuedAt: number;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** After this moment the job is forgotten, whatever its status. */
  readonly expiresAt: number;
  readonly workerId?: string | undefined;
  /** The result; while IN_PROGRESS the last progress report. */
  readonly output?: unknown;
  readonly error?: unknown;
  /** Workers that were lost while they had it. */
  readonly lostWorkers: number;
  /** How often it went back into the queue, for whatever reason. */
  readonly retries: number;
}

/** A job whose workers were lost this many times is not tried again. */
export const MAX_ATTEMPTS = 3;

/** Life of a job that does not say, from its submission (facts, section 4d). */
export const DEFAULT_TTL_MS = 86_400_000;

/**
 * How long a finished job can be read. The hosted service forgets results after 30 minutes (run) or 1 to 5 minutes (runsync);
 * for a developer's own machine the history is worth more.
 */
export const RETENTION_MS = 24 * 3_600_000;

export type JobEvent =
  | { readonly kind: 'taken'; readonly workerId: string }
  | { readonly kind: 'progress'; readonly output: unknown }
  | { readonly kind: 'finished'; readonly output?: unknown; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timedOut'; readonly afterMs: number }
  /** The worker vanished while it had the job; `reason` ends a sentence. */
  | { readonly kind: 'workerLost'; readonly reason: string }
  /** Back to the queue through no fault of the job: it never reached the worker, or the platform stopped. */
  | { readonly kind: 'returned' }
  | { readonly kind: 'retried' };

type JobEventKind = JobEvent['kind'];

/** Where each event is valid; anywhere else it is ignored, as a late result is. */
const VALID_FROM: Readonly<Record<JobEventKind, readonly JobStatus[]>> = {
  taken: ['IN_QUEUE'],
  progress: ['IN_PROGRESS'],
  finished: ['IN_PROGRESS'],
  failed: ['IN_PROGRESS'],
  cancelled: ['IN_QUEUE', 'IN_PROGRESS'],
  timedOut: ['IN_PROGRESS'],
  workerLost: ['IN_PROGRESS'],
  returned: ['IN_PROGRESS'],
  retried: ['FAILED', 'TIMED_OUT'],
};

export function createJob(
  request: JobRequest,
  { id, endpointId, now }: { id: string; endpointId: string; now: number },
): JobRecord {
  return {
    id,
    endpointId,
    status: 'IN_QUEUE',
    request,
    createdAt: now,
    queuedAt: now,
    expiresAt: now + (request.policy?.ttl ?? DEFAULT_TTL_MS),
    lostWorkers: 0,
    retries: 0,
  };
}

/** The job after an event, or undefined when the event does not apply to its status. */
export function transition(job: JobRecord, event: JobEvent, now: number): JobRecord | undefined {
  if (!VALID_FROM[event.kind].includes(job.status)) return undefined;
  switch (event.kind) {
    case 'taken':
      return { ...job, status: 'IN_PROGRESS', workerId: event.workerId, startedAt: now, output: undefined };
    case 'progress':
      return { ...job, output: event.output };
    case 'finished':
      return event.error === undefined
        ? finish(job, 'COMPLETED', now, { output: event.output })
        : finish(job, 'FAILED', now, { output: event.output, error: event.error });
    case 'failed':
      return finish(job, 'FAILED', now, { error: event.error });
    case 'cancelled':
      return finish(job, 'CANCELLED', now, {});
    case 'timedOut':
      return finish(job, 'TIMED_OUT', now, { error: `execution timed out after ${event.afterMs} ms` });
    case 'workerLost':
      return loseWorker(job, event.reason, now);
    case 'returned':
      return requeue(job, job.queuedAt, now);
    case 'retried':
      return { ...requeue(job, now, now), lostWorkers: 0 };
  }
}

function finish(
  job: JobRecord,
  status: JobStatus,
  now: number,
  result: Pick<JobRecord, 'output' | 'error'>,
): JobRecord {
  const { ttl } = job.request.policy ?? {};
  const expiresAt = ttl === undefined ? now + RETENTION_MS : job.expiresAt;
  return { ...job, status, finishedAt: now, expiresAt, output: result.output, error: result.error };
}

function loseWorker(job: JobRecord, reason: string, now: number): JobRecord {
  const lostWorkers = job.lostWorkers + 1;
  if (lostWorkers < MAX_ATTEMPTS) return { ...requeue(job, job.queuedAt, now), lostWorkers };
  const error = `the job's worker was lost ${lostWorkers} times and it is not tried again; the last one ${reason}`;
  return { ...finish(job, 'FAILED', now, { error }), lostWorkers };
}

function requeue(job: JobRecord, queuedAt: number, now: number): JobRecord {
  const { ttl } = job.request.policy ?? {};
  return {
    ...job,
    status: 'IN_QUEUE',
    queuedAt,
    expiresAt: ttl === undefined ? Math.max(job.expiresAt, now + DEFAULT_TTL_MS) : job.expiresAt,
    startedAt: undefined,
    finishedAt: undefined,
    workerId: undefined,
    output: undefined,
    error: undefined,
    retries: job.retries + 1,
  };
}

/** The time a job may run, in ms: its own policy, else its endpoint's timeout. */
export function executionTimeout(job: JobRecord, endpointTimeout: number): number {
  return job.request.policy?.executionTimeout ?? endpointTimeout;
}

/** The job object of the queue's answers (facts, section 4b). An error that is not a text is given as JSON. */
export function jobAnswer(job: JobRecord): Job {
  const answer: Job = { id: job.id, status: job.status };
  const { queuedAt, startedAt, finishedAt } = job;
  if (startedAt !== undefined) answer.delayTime = startedAt - queuedAt;
  if (startedAt !== undefined && finishedAt !== undefined) answer.executionTime = finishedAt - startedAt;
  if (job.workerId !== undefined) answer.workerId = job.workerId;
  if (job.output !== undefined) answer.output = job.output;
  if (job.error !== undefined) answer.error = typeof job.error === 'string' ? job.error : JSON.stringify(job.error);
  return answer;
}
