import type { Job } from '../contract/job.ts';
import { ApiError } from './apiError.ts';
import type { Client } from './client.ts';
import { followJob, type JobAddress } from './followJob.ts';

export interface FollowForOptions {
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
export async function followFor(
  client: Client,
  { address, ms, signal, onJob }: FollowForOptions,
): Promise<Job | undefined> {
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
