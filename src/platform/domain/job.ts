import {
  isTerminal,
  type EndpointHealth,
  type Job,
  type JobRequest,
  type JobStatus,
  type JobWebhook,
} from '../../contract/job.ts';

/* The state machine of jobs (interface document, "States and transitions"; facts, section 4c). */

/**
 * What changes about a job, and what is decided by. The request itself, which may be large, is kept beside it and read only when it is
 * handed on. Times are milliseconds since the epoch.
 */
export interface JobRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  /** Life from submission in ms, when somebody has said. */
  readonly ttl?: number | undefined;
  /** Time it may run in ms, when it says; else its endpoint's counts. */
  readonly executionTimeout?: number | undefined;
  /** It causes no workers to be added. */
  readonly lowPriority: boolean;
  /** Whether the request has a webhook, which is called when the job ends. */
  readonly notifies: boolean;
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
 * How long a job can be read after its end, when it has no time to live of its own. The hosted service forgets results after 30 minutes
 * (run) or 1 to 5 minutes (runsync); on a developer's own machine the history is worth more.
 */
export const RETENTION_MS = 24 * 3_600_000;

export type JobEvent =
  | { readonly kind: 'taken'; readonly workerId: string }
  | { readonly kind: 'progress'; readonly output: unknown }
  | { readonly kind: 'finished'; readonly output?: unknown; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timedOut'; readonly afterMs: number }
  /** Its time to live has passed. The public material names both TIMED_OUT and 404: it ends as the one, and is answered as the other. */
  | { readonly kind: 'expired' }
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
  expired: ['IN_QUEUE', 'IN_PROGRESS'],
  workerLost: ['IN_PROGRESS'],
  returned: ['IN_PROGRESS'],
  retried: ['FAILED', 'TIMED_OUT'],
};

export function createJob(
  request: Pick<JobRequest, 'webhook' | 'policy'>,
  { id, endpointId, now }: { id: string; endpointId: string; now: number },
): JobRecord {
  const { webhook, policy: { ttl, executionTimeout, lowPriority = false } = {} } = request;
  return {
    ...{ id, endpointId, status: 'IN_QUEUE', ttl, executionTimeout, lowPriority, notifies: webhook !== undefined },
    ...{ createdAt: now, queuedAt: now, expiresAt: now + (ttl ?? DEFAULT_TTL_MS), lostWorkers: 0, retries: 0 },
  };
}

/** The job after an event, or undefined when the event does not apply to it. */
export function transition(job: JobRecord, event: JobEvent, time: number): JobRecord | undefined {
  if (!VALID_FROM[event.kind].includes(job.status)) return undefined;
  // A clock that was set back makes nothing end before it began.
  const now = Math.max(time, job.queuedAt, job.startedAt ?? 0, job.finishedAt ?? 0);
  switch (event.kind) {
    case 'taken':
      if (job.expiresAt <= now) return undefined;
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
    case 'expired':
      return finish(job, 'TIMED_OUT', now, {
        error: `not finished within its life of ${job.expiresAt - job.createdAt} ms`,
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
  const error = `the job's worker was lost ${lostWorkers} times and it is not tried again; the last one ${reason}`;
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
    output: undefined,
    error: undefined,
    retries: job.retries + 1,
  };
}

/** The job with another life, in ms from its submission. */
export function withTtl(job: JobRecord, ttl: number): JobRecord {
  return { ...job, ttl, expiresAt: job.createdAt + ttl };
}

/** The time a job may run, in ms: its own policy, else its endpoint's timeout. */
export function executionTimeout(job: JobRecord, endpointTimeout: number): number {
  return job.executionTimeout ?? endpointTimeout;
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

/** Jobs of a queue by status, and how often jobs went back into it. */
export type JobCounts = Readonly<Record<JobStatus, number>> & { readonly retries: number };

/** The job counts of the queue's health answer. */
export function healthOf({ COMPLETED, FAILED, IN_PROGRESS, IN_QUEUE, retries }: JobCounts): EndpointHealth['jobs'] {
  return { completed: COMPLETED, failed: FAILED, inProgress: IN_PROGRESS, inQueue: IN_QUEUE, retried: retries };
}

/** What a job's webhook is told of its end (facts, section 4d), or undefined when there is nobody to tell or nothing yet. */
export function webhookBody(job: JobRecord, request: () => JobRequest): JobWebhook | undefined {
  if (!job.notifies || !isTerminal(job.status)) return undefined;
  const { input, webhook } = request();
  return webhook === undefined ? undefined : { ...jobAnswer(job), input, webhook };
}

/** Largest chunk that `stream` hands out, in bytes of UTF-8 (facts, section 4a). */
export const MAX_CHUNK_BYTES = 1_048_576;

/** A text that is too large for one chunk as several, cut between characters. Anything else stays whole: half an object is no JSON. */
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
