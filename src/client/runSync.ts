import { isTerminal, type Job, type JobRequest } from '../contract/job.ts';
import { ApiError } from './apiError.ts';
import type { Client } from './client.ts';
import type { Wait } from './context.ts';
import { GRACE_MS, RUN_SYNC_MS } from './operationTimes.ts';
import { followJob, type JobAddress } from './followJob.ts';

/** Minimum value of the `wait` parameter, in ms. */
const SHORTEST_WAIT_MS = 1_000;
/**
 * Maximum time in ms that the service is asked to wait. The response contains the job's ID, which a broken connection would lose. A
 * longer job is then followed by its status.
 */
const LONGEST_WAIT_MS = 10_000;

export interface SyncRun {
  readonly endpointId: string;
  readonly body: JobRequest;
  /** Maximum time to wait for the result, in ms: the timeout of the endpoint. Default: 60 s. */
  readonly timeout?: number | undefined;
  /** Maximum time that the service is asked to wait before it responds with the job's ID, in ms. Default: 10 s. */
  readonly longestWait?: number | undefined;
}

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with each new state of the job. The first state has the ID. */
  readonly onJob?: ((job: Job) => void) | undefined;
  /** Called when the submission starts to wait for a rate limit. Nothing is submitted before the wait is over. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** Called before each attempt of the submission. */
  readonly onSend?: (() => void) | undefined;
}

/**
 * Runs a job and waits for its result. After the timeout, returns the unfinished job, which continues on the platform.
 *
 * @throws ApiError, with `jobId` once the ID is known. Aborting the signal does not cancel the job on the platform. An error without
 *   `jobId` does not say whether the job was accepted, and the job is not submitted again.
 */
export async function runSync(client: Client, run: SyncRun, options: SyncOptions = {}): Promise<Job> {
  const { signal, onJob } = options;
  const { endpointId, timeout = RUN_SYNC_MS } = run;
  const { clock } = client.context;
  const deadline = clock.now() + timeout;
  const job = await startSync(client, run, options);
  const { id } = job;
  onJob?.(job);

  const ms = deadline - clock.now();
  if (isTerminal(job.status) || ms <= 0) return job;
  try {
    const last = await followFor(client, { address: { endpointId, jobId: id }, ms, signal, onJob });
    return last ?? job;
  } catch (error) {
    throw error instanceof ApiError ? error.withJob(id) : error;
  }
}

/** Submits a job, and waits for its result at most for `longestWait`. Resolves with the state of the job. @throws as `runSync` */
export function startSync(
  client: Client,
  { endpointId, body, timeout = RUN_SYNC_MS, longestWait = LONGEST_WAIT_MS }: SyncRun,
  { signal, onWait, onSend }: Pick<SyncOptions, 'signal' | 'onWait' | 'onSend'>,
): Promise<Job> {
  const wait = Math.max(SHORTEST_WAIT_MS, Math.min(timeout, longestWait));
  // A service that ignores `wait` responds when the job ends.
  const patience = Math.max(timeout, wait) + GRACE_MS;
  return client.runJobSync({ endpointId, body, query: { wait } }, { signal, timeout: patience, onWait, onSend });
}

interface FollowForOptions {
  readonly address: JobAddress;
  /** Maximum time to wait for the end of the job, in ms. */
  readonly ms: number;
  /** Ends the wait with an error. The job continues. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each new state of the job. */
  readonly onJob?: ((job: Job) => void) | undefined;
}

/**
 * Follows a job until it ends, or until the time is over.
 *
 * @returns the last state, or undefined if the time was over before the first state
 * @throws ApiError
 */
async function followFor(client: Client, { address, ms, signal, onJob }: FollowForOptions): Promise<Job | undefined> {
  const over = new AbortController();
  const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const ticking = client.context.clock.sleep(ms, stop).then(
    () => over.abort(),
    () => undefined,
  );
  let job: Job | undefined;
  try {
    for await (const seen of followJob(client, address, stop)) {
      job = seen;
      onJob?.(job);
    }
    return job;
  } catch (error) {
    const isOver = over.signal.aborted && signal?.aborted !== true;
    if (error instanceof ApiError && error.kind === 'canceled' && isOver) return job;
    throw error;
  } finally {
    over.abort();
    await ticking;
  }
}
