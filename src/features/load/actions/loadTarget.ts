import pMap from 'p-map';
import { ApiError, isTemporary } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { isTerminal, type Job, type JobRequest } from '../../../contract/job.ts';
import { operations } from '../../../contract/operations.ts';
import { QUEUE_LIMIT_SECONDS } from '../../../contract/rateLimit.ts';
import { StatusPoller } from '../../jobs/actions/statusPoller.ts';
import { Pace } from '../../jobs/actions/wake.ts';
import { callRoute } from '../../../client/callRoute.ts';
import { routeLimitOf } from '../../../client/operationTimes.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';

/** How the platform dealt with an arrival. */
export interface Answer {
  readonly outcome: 'completed' | 'failed' | 'timedOut';
  /** Time of the result, in ms since the epoch. */
  readonly endedAt: number;
  /** The reason of a failure, in a few words that many failures share, such as `HTTP 503`. */
  readonly reason?: string | undefined;
  /** Time in the queue and on the worker, in ms, if the platform reports them. */
  readonly queueMs?: number | undefined;
  readonly executionMs?: number | undefined;
}

/** Sends the jobs or requests of a load test. */
export interface LoadTarget {
  /**
   * Sends one job or request. Resolves with its result, or with undefined if the target was closed before. It rejects only for a defect.
   */
  send(): Promise<Answer | undefined>;
  /** Ends all waits. @param cancels whether jobs without a result are canceled on the platform. Requests always end with their connection */
  close(cancels: boolean): Promise<void>;
}

/** Status requests per second: half of what the documented rate limit allows, and many for a local platform, which has none for its owner. */
const POLLS_PER_SECOND = operations.getJobStatus.limit.requests / QUEUE_LIMIT_SECONDS / 2;
const LOCAL_POLLS_PER_SECOND = 1_000;
/** Longest interval between two status requests for a job, in ms. The live percentiles lag by it. */
const LAST_INTERVAL_MS = 1_000;
/** Most cancellations at a time. */
const MAX_CANCELLATIONS = 8;
/** Pause after a failed status request, in ms. */
const PAUSE_MS = 1_000;

/**
 * Submits jobs, and follows them together with a bounded number of status requests. The times that the platform reports tell when a job ended,
 * so the interval of the requests does not add to the latency.
 */
export class JobTarget implements LoadTarget {
  readonly #client: Client;
  readonly #endpointId: string;
  readonly #body: JobRequest;
  readonly #closed = new AbortController();
  readonly #poller: StatusPoller;
  readonly #polling: Promise<unknown>;
  /** Jobs without a result. */
  readonly #open = new Set<string>();
  /** Time of the last request that saw a job unfinished. */
  readonly #seenUnfinished = new Map<string, number>();
  #cancels = false;

  constructor(client: Client, endpointId: string, body: JobRequest) {
    this.#client = client;
    this.#endpointId = endpointId;
    this.#body = body;
    const { clock, honorsIdempotencyKeys } = client.context;
    const pace = new Pace(clock, honorsIdempotencyKeys ? LOCAL_POLLS_PER_SECOND : POLLS_PER_SECOND);
    const { signal } = this.#closed;
    this.#poller = new StatusPoller({
      ...{ clock, signal, pace: () => pace, lastIntervalMs: LAST_INTERVAL_MS },
      read: (jobId) => this.#read(jobId),
    });
    this.#polling = this.#poller.run().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    // `send` receives the failure.
    this.#polling.catch(() => undefined);
  }

  async send(): Promise<Answer | undefined> {
    const { clock } = this.#client.context;
    let job: Job | undefined;
    try {
      const call = { endpointId: this.#endpointId, body: this.#body };
      // No signal: the platform may accept an aborted submission, and that job could not be canceled.
      job = await this.#client.runJob(call, { retries: 0, waits: 0 });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return {
        outcome: error.kind === 'timeout' ? 'timedOut' : 'failed',
        endedAt: clock.now(),
        reason: reasonOf(error),
      };
    }
    const acceptedAt = clock.now();
    if (isTerminal(job.status)) return this.#answer(job, acceptedAt);
    const { id } = job;
    this.#open.add(id);
    if (this.#isClosed()) {
      if (this.#cancels) await this.#cancel(id);
      return undefined;
    }
    try {
      const last = await Promise.race([this.#poller.watch(id), this.#polling.then(() => undefined)]);
      if (!last && this.#isClosed()) return undefined;
      this.#open.delete(id);
      if (!last) return { outcome: 'failed', endedAt: clock.now(), reason: 'GONE' };
      return this.#answer(last, acceptedAt);
    } finally {
      this.#seenUnfinished.delete(id);
    }
  }

  async close(cancels: boolean): Promise<void> {
    this.#cancels = cancels;
    this.#closed.abort();
    this.#poller.release();
    await this.#polling;
    if (cancels) await pMap(this.#open, (id) => this.#cancel(id), { concurrency: MAX_CANCELLATIONS });
  }

  /** Cancels a job. One that has already ended is unchanged. */
  async #cancel(jobId: string): Promise<void> {
    await this.#client.cancelJob({ endpointId: this.#endpointId, jobId }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  #answer({ id, status, delayTime, executionTime }: Job, acceptedAt: number): Answer {
    const seenAt = this.#client.context.clock.now();
    const reported =
      delayTime === undefined || executionTime === undefined ? seenAt : acceptedAt + delayTime + executionTime;
    // A job with several attempts can have taken longer than the reported times.
    const endedAt = Math.min(seenAt, Math.max(reported, this.#seenUnfinished.get(id) ?? 0));
    const outcome = status === 'COMPLETED' ? 'completed' : status === 'TIMED_OUT' ? 'timedOut' : 'failed';
    const reason = outcome === 'completed' ? {} : { reason: status };
    return { outcome, endedAt, ...reason, queueMs: delayTime, executionMs: executionTime };
  }

  /** Reads a job until the platform responds. Undefined if the job does not exist. */
  async #read(jobId: string): Promise<Job | undefined> {
    const { signal } = this.#closed;
    const { clock } = this.#client.context;
    for (;;) {
      const askedAt = clock.now();
      try {
        const call = { endpointId: this.#endpointId, jobId };
        const job = await this.#client.getJobStatus(call, { retries: 0, waits: 0, signal });
        if (!isTerminal(job.status)) this.#seenUnfinished.set(jobId, askedAt);
        return job;
      } catch (error) {
        if (!(error instanceof ApiError) || signal.aborted) throw error;
        if (error.kind === 'notFound') return undefined;
        if (error.code === 'tooLarge') return { id: jobId, status: 'COMPLETED' };
        if (!isTemporary(error)) return { id: jobId, status: 'FAILED', error: error.message };
        await clock.sleep(Math.max(PAUSE_MS, error.retryAfterMs ?? 0), signal);
      }
    }
  }
}

/** Returns the reason of a call without a usable response. */
function reasonOf({ kind, status }: ApiError): string {
  return status === undefined ? kind : `HTTP ${status}`;
}

/** Returns the request of each arrival in turn. Its variables have new values each time. @throws UserError */
export type NextRequest = () => RouteRequest;

/** Sends requests over HTTP, and reads their responses completely. It sends each one once. */
export class RequestTarget implements LoadTarget {
  readonly #client: Client;
  readonly #next: NextRequest;
  readonly #timeout: number;
  readonly #closed = new AbortController();

  /** @param timeout time limit of the endpoint, in ms */
  constructor(client: Client, next: NextRequest, timeout: number) {
    this.#client = client;
    this.#next = next;
    this.#timeout = routeLimitOf(timeout);
  }

  async send(): Promise<Answer | undefined> {
    const { context } = this.#client;
    const { signal } = this.#closed;
    try {
      const { status, error } = await callRoute(context, this.#next(), { signal, timeout: this.#timeout });
      const endedAt = context.clock.now();
      if (!error) return { outcome: 'completed', endedAt };
      return { outcome: error.kind === 'timeout' ? 'timedOut' : 'failed', endedAt, reason: `HTTP ${status}` };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (signal.aborted) return undefined;
      const outcome = error.kind === 'timeout' ? 'timedOut' : 'failed';
      return { outcome, endedAt: context.clock.now(), reason: reasonOf(error) };
    }
  }

  close(): Promise<void> {
    this.#closed.abort();
    return Promise.resolve();
  }
}
