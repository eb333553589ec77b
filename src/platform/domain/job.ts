import {
  isTerminal,
  type EndpointHealth,
  type Job,
  type JobRequest,
  type JobStatus,
  type JobWebhook,
} from '../../contract/job.ts';

/* The state machine of jobs. */

/**
 * The state of a job. The request can be large, so it is stored separately and read only when it is dispatched. Times are milliseconds
 * since the epoch.
 */
export interface JobRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  /** Time to live from submission in ms, if the request or a later call sets it. */
  readonly ttl?: number | undefined;
  /** Execution timeout in ms, if the request sets it. Otherwise the endpoint's timeout applies. */
  readonly executionTimeout?: number | undefined;
  /** `traceparent` header of the request that submitted the job, in version 00. Undefined if it had no valid one. */
  readonly traceParent?: string | undefined;
  /** True if the job must not cause new workers to start. */
  readonly lowPriority: boolean;
  /** True if the request has a webhook, which is called when the job ends. */
  readonly notifies: boolean;
  readonly createdAt: number;
  /** Time at which the job last entered the queue. */
  readonly queuedAt: number;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** Time after which the job is deleted, in any status. */
  readonly expiresAt: number;
  readonly workerId?: string | undefined;
  /** Version of the worker's release when it took the job. Undefined if no worker has the job, or an earlier platform stored it. */
  readonly release?: number | undefined;
  /** The result or, while IN_PROGRESS, the last progress report. */
  readonly output?: unknown;
  readonly error?: unknown;
  /** Number of workers that were lost while they ran the job. */
  readonly lostWorkers: number;
  /** Number of times that the job was requeued, for any reason. */
  readonly retries: number;
}

/** A job that has ended, without its output, which can be large. */
export interface EndedJobRecord extends Pick<
  JobRecord,
  'id' | 'status' | 'createdAt' | 'startedAt' | 'workerId' | 'release'
> {
  readonly finishedAt: number;
}

/** The parts of a job from which the IDs and attributes of its exported spans derive. */
export type TracedJob = Pick<JobRecord, 'id' | 'endpointId' | 'traceParent'>;

/** Number of lost workers after which a job fails instead of being retried. */
export const MAX_ATTEMPTS = 3;

/** Default time to live from submission, in ms. */
export const DEFAULT_TTL_MS = 86_400_000;

/**
 * Time in ms that a job without its own time to live stays readable after its end. The hosted service deletes results after 30 minutes
 * (run) or 1 to 5 minutes (runsync). On a developer's machine the history is useful for longer.
 */
export const RETENTION_MS = 24 * 3_600_000;

export type JobEvent =
  | { readonly kind: 'taken'; readonly workerId: string; readonly release?: number | undefined }
  | { readonly kind: 'progress'; readonly output: unknown }
  | { readonly kind: 'finished'; readonly output?: unknown; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'timedOut'; readonly afterMs: number }
  /** The time to live has passed. The public documentation names two results: the job ends as TIMED_OUT, and reads return 404. */
  | { readonly kind: 'expired' }
  /** The worker ended while it had the job. `reason` is the end of a sentence. */
  | { readonly kind: 'workerLost'; readonly reason: string }
  /** The job returns to the queue through no fault of its own: it did not reach the worker, or the platform stopped. */
  | { readonly kind: 'returned' }
  | { readonly kind: 'retried' };

type JobEventKind = JobEvent['kind'];

/** Statuses in which each event is valid. In other statuses, an event such as a late result is ignored. */
const VALID_FROM: Readonly<Record<JobEventKind, readonly JobStatus[]>> = {
  taken: ['IN_QUEUE'],
  progress: ['IN_PROGRESS'],
  finished: ['IN_PROGRESS'],
  failed: ['IN_PROGRESS'],
  canceled: ['IN_QUEUE', 'IN_PROGRESS'],
  timedOut: ['IN_PROGRESS'],
  expired: ['IN_QUEUE', 'IN_PROGRESS'],
  workerLost: ['IN_PROGRESS'],
  returned: ['IN_PROGRESS'],
  retried: ['FAILED', 'TIMED_OUT'],
};

export function createJob(
  request: Pick<JobRequest, 'webhook' | 'policy'>,
  {
    id,
    endpointId,
    now,
    traceParent,
  }: { id: string; endpointId: string; now: number; traceParent?: string | undefined },
): JobRecord {
  const { webhook, policy: { ttl, executionTimeout, lowPriority = false } = {} } = request;
  return {
    ...{ id, endpointId, status: 'IN_QUEUE', ttl, executionTimeout, lowPriority, notifies: webhook !== undefined },
    traceParent,
    ...{ createdAt: now, queuedAt: now, expiresAt: now + (ttl ?? DEFAULT_TTL_MS), lostWorkers: 0, retries: 0 },
  };
}

/** Returns the job after an event, or undefined if the event does not apply to it. */
export function transition(job: JobRecord, event: JobEvent, time: number): JobRecord | undefined {
  if (!VALID_FROM[event.kind].includes(job.status)) return undefined;
  // If the clock was set back, the job must not end before it began.
  const now = Math.max(time, job.queuedAt, job.startedAt ?? 0, job.finishedAt ?? 0);
  switch (event.kind) {
    case 'taken':
      if (job.expiresAt <= now) return undefined;
      return {
        ...{ ...job, status: 'IN_PROGRESS', workerId: event.workerId, release: event.release },
        ...{ startedAt: now, output: undefined },
      };
    case 'progress':
      return { ...job, output: event.output };
    case 'finished':
      return event.error === undefined
        ? finish(job, 'COMPLETED', now, { output: event.output })
        : finish(job, 'FAILED', now, { output: event.output, error: event.error });
    case 'failed':
      return finish(job, 'FAILED', now, { error: event.error });
    case 'canceled':
      return finish(job, 'CANCELLED', now, {});
    case 'timedOut':
      return finish(job, 'TIMED_OUT', now, { error: `execution timed out after ${event.afterMs} ms` });
    case 'expired':
      return finish(job, 'TIMED_OUT', now, {
        error: `the job did not finish within its time to live of ${job.expiresAt - job.createdAt} ms`,
      });
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
  const expiresAt = job.ttl === undefined ? now + RETENTION_MS : job.expiresAt;
  return { ...job, status, finishedAt: now, expiresAt, output: result.output, error: result.error };
}

function loseWorker(job: JobRecord, reason: string, now: number): JobRecord {
  const lostWorkers = job.lostWorkers + 1;
  if (lostWorkers < MAX_ATTEMPTS) return { ...requeue(job, job.queuedAt, now), lostWorkers };
  const error = `the job is not retried because its worker was lost ${lostWorkers} times; the last worker ${reason}`;
  return { ...finish(job, 'FAILED', now, { error }), lostWorkers };
}

function requeue(job: JobRecord, queuedAt: number, now: number): JobRecord {
  return {
    ...job,
    status: 'IN_QUEUE',
    queuedAt,
    expiresAt: job.ttl === undefined ? Math.max(job.expiresAt, now + DEFAULT_TTL_MS) : job.expiresAt,
    startedAt: undefined,
    finishedAt: undefined,
    workerId: undefined,
    release: undefined,
    output: undefined,
    error: undefined,
    retries: job.retries + 1,
  };
}

/** Returns the job with another time to live, in ms from its submission. */
export function withTtl(job: JobRecord, ttl: number): JobRecord {
  return { ...job, ttl, expiresAt: job.createdAt + ttl };
}

/** Returns the execution timeout of a job in ms: that of its policy, or else of its endpoint. */
export function executionTimeout(job: JobRecord, endpointTimeout: number): number {
  return job.executionTimeout ?? endpointTimeout;
}

/** Returns the job in the form of a response. An error that is not a string is serialized as JSON. */
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

/** Number of jobs of a queue by status, and the total number of requeues. */
export type JobCounts = Readonly<Record<JobStatus, number>> & { readonly retries: number };

/** Returns the job counts of the queue's health response. */
export function healthOf({ COMPLETED, FAILED, IN_PROGRESS, IN_QUEUE, retries }: JobCounts): EndpointHealth['jobs'] {
  return { completed: COMPLETED, failed: FAILED, inProgress: IN_PROGRESS, inQueue: IN_QUEUE, retried: retries };
}

/** Returns the webhook's body for the end of a job, or undefined if the job has no webhook or has not ended. */
export function webhookBody(job: JobRecord, request: () => JobRequest): JobWebhook | undefined {
  if (!job.notifies || !isTerminal(job.status)) return undefined;
  const { input, webhook } = request();
  return webhook === undefined ? undefined : { ...jobAnswer(job), input, webhook };
}

/** Maximum size of a chunk of `stream`, in bytes of UTF-8. */
const MAX_CHUNK_BYTES = 1_048_576;

/** Splits a string that is too large for one chunk, between characters. Other values stay whole, because their parts are not JSON. */
export function splitChunk(output: unknown, maxBytes = MAX_CHUNK_BYTES): unknown[] {
  if (typeof output !== 'string' || output.length * 3 <= maxBytes) return [output];
  const pieces: string[] = [];
  let start = 0;
  let bytes = 0;
  for (let at = 0; at < output.length;) {
    const point = output.codePointAt(at) ?? 0;
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes + size > maxBytes) {
      pieces.push(output.slice(start, at));
      [start, bytes] = [at, 0];
    }
    bytes += size;
    at += point < 0x10000 ? 1 : 2;
  }
  return [...pieces, output.slice(start)];
}
