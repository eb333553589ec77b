import type { Job } from '../contract/job.ts';
import { ApiError, isTemporary } from './apiError.ts';
import type { Client } from './client.ts';
import { followJob, type JobAddress } from './followJob.ts';
import { pause } from './retry.ts';

const MAX_FAILURES = 5;
const PAUSE_MS = 2_000;

export interface FollowOptions {
  readonly client: Client;
  readonly address: JobAddress;
  /** Cancels the job on the platform when aborted. */
  readonly signal: AbortSignal;
  /** Returns true if the platform can recover from a failure. */
  readonly mayRecover: () => boolean;
  readonly onJob: (job: Job) => void;
  readonly onCanceling: () => void;
}

/**
 * Follows a job until it ends, or cancels it. Polling continues after temporary failures.
 *
 * @returns the terminal state of the job
 * @throws ApiError after repeated or permanent failures
 */
export async function followToEnd(options: FollowOptions): Promise<Job> {
  const { client, address, signal, onCanceling } = options;
  try {
    return await follow(options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'canceled' || !signal.aborted) throw error;
    onCanceling();
    return cancelAndRead(client, address);
  }
}

/** Disables the retries of each call, because only this function knows whether the platform can recover. */
async function follow({ client, address, signal, mayRecover, onJob }: FollowOptions): Promise<Job> {
  for (let failures = 0; ;) {
    try {
      let last: Job | undefined;
      for await (const job of followJob(client, address, signal, { retries: 0 })) {
        last = job;
        failures = 0;
        onJob(job);
      }
      if (last) return last;
    } catch (error) {
      const passes = error instanceof ApiError && isTemporary(error);
      if (!passes || !mayRecover() || ++failures >= MAX_FAILURES) throw error;
      await pause(client.context, 'getJobStatus', Math.max(PAUSE_MS * failures, error.retryAfterMs ?? 0), signal);
    }
  }
}

/** Cancels the job on the platform and returns its state. A job that has already ended is unchanged. */
export async function cancelAndRead(client: Client, address: JobAddress): Promise<Job> {
  await client.cancelJob(address).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'validation') throw error;
  });
  return client.getJobStatus(address);
}
