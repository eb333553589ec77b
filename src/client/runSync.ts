import { isTerminal, type Job, type JobRequest } from '../contract/job.ts';
import { ApiError } from './apiError.ts';
import type { Client } from './client.ts';
import { followJob } from './followJob.ts';
import { GRACE_MS, RUN_SYNC_MS } from './operationTimes.ts';

/** The least the service may be asked to wait (facts, section 4a). */
const SHORTEST_WAIT_MS = 1_000;
/**
 * The most it is asked to: until it has answered, the job's id is not known, and a connection that breaks takes it along. What is
 * not done by then is followed by its status, as closely as any job.
 */
const LONGEST_WAIT_MS = 10_000;

export interface SyncRun {
  readonly endpointId: string;
  readonly body: JobRequest;
  /** Milliseconds to wait for the result: the endpoint's configured timeout; 60 s without one (interface document, operation 4). */
  readonly timeout?: number | undefined;
}

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined;
  /** Each state that was seen, the first time with the id. */
  readonly onJob?: ((job: Job) => void) | undefined;
}

/**
 * Runs a job and waits for its result. When the time is over the job is returned as it is: it goes on, and can be followed with
 * its id.
 *
 * @throws ApiError. Once the job has an id the error carries it as `jobId`, also when the signal was aborted: nothing is cancelled
 *   on the platform. Without one it is not known whether a job was accepted, and it is not submitted again.
 */
export async function runSync(client: Client, run: SyncRun, { signal, onJob }: SyncOptions = {}): Promise<Job> {
  const { endpointId, body, timeout = RUN_SYNC_MS } = run;
  const { clock } = client.context;
  const deadline = clock.now() + timeout;
  const wait = Math.max(SHORTEST_WAIT_MS, Math.min(timeout, LONGEST_WAIT_MS));
  // A service that does not know `wait` answers when the job has ended.
  const patience = Math.max(timeout, wait) + GRACE_MS;
  let job = await client.runJobSync({ endpointId, body, query: { wait } }, { signal, timeout: patience });
  const { id } = job;
  onJob?.(job);

  const over = new AbortController();
  const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const left = deadline - clock.now();
  if (isTerminal(job.status) || left <= 0) return job;
  const ticking = clock.sleep(left, stop).then(
    () => over.abort(),
    () => undefined,
  );
  try {
    for await (const seen of followJob(client, { endpointId, jobId: id }, stop)) {
      job = seen;
      onJob?.(job);
    }
    return job;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === 'cancelled' && over.signal.aborted && signal?.aborted !== true) return job;
    throw error.withJob(id);
  } finally {
    over.abort();
    await ticking;
  }
}
