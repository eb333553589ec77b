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

/**
 * Polls a job's status with growing intervals and yields it each time it has changed; the last one yielded is terminal.
 * The interval shrinks again whenever something changed: a job that reports progress is watched closely.
 *
 * @throws ApiError; kind `cancelled` when the signal is aborted
 */
export async function* followJob(
  client: Client,
  address: JobAddress,
  signal?: AbortSignal,
  options: Omit<CallOptions, 'signal'> = {},
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
    interval = Math.min(interval * GROWTH, LAST_INTERVAL_MS);
  }
}
