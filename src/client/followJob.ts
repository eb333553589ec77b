import { isTerminal, type Job } from '../contract/job.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './request.ts';
import { pause } from './retry.ts';

export interface JobAddress {
  readonly endpointId: string;
  readonly jobId: string;
}

const FIRST_INTERVAL_MS = 250;
const LAST_INTERVAL_MS = 3_000;
const GROWTH = 1.5;

export interface PollOptions extends Omit<CallOptions, 'signal'> {
  /** Returns the longest polling interval, in ms. Default: 3 s. */
  readonly longestInterval?: () => number;
}

/**
 * Polls the status of a job and yields each change. The last yielded state is terminal. The polling interval grows, and a change resets
 * it.
 *
 * @throws ApiError, of kind `canceled` if the signal is aborted
 */
export async function* followJob(
  client: Client,
  address: JobAddress,
  signal?: AbortSignal,
  { longestInterval = () => LAST_INTERVAL_MS, ...options }: PollOptions = {},
): AsyncGenerator<Job, void> {
  let interval = FIRST_INTERVAL_MS;
  let seen = '';
  for (;;) {
    const job = await client.getJobStatus(address, { ...options, signal });
    const now = JSON.stringify([job.status, job.output, job.workerId]);
    if (now !== seen) {
      interval = FIRST_INTERVAL_MS;
      seen = now;
      yield job;
    }
    if (isTerminal(job.status)) return;
    await pause(client.context, 'getJobStatus', interval, signal);
    interval = Math.min(interval * GROWTH, longestInterval());
  }
}
