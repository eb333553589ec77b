import type { Job } from '../contract/job.ts';
import { ApiError, type ErrorKind } from './apiError.ts';
import type { Client } from './client.ts';
import { followJob, type JobAddress } from './followJob.ts';
import { pause } from './retry.ts';

/** Failures that say nothing about the job: it goes on, and may be seen again. */
const PASSING: readonly ErrorKind[] = ['network', 'timeout', 'server', 'rateLimited'];
const MOST_FAILURES = 5;
const PAUSE_MS = 2_000;

export interface FollowOptions {
  readonly client: Client;
  readonly address: JobAddress;
  /** Aborted: the job is to be cancelled on the platform. */
  readonly signal: AbortSignal;
  /** Whether the platform may still come back after a failure. */
  readonly mayRecover: () => boolean;
  readonly onJob: (job: Job) => void;
  readonly onCancelling: () => void;
}

/**
 * Follows a job until it has ended, or cancels it. A platform that cannot be reached for a moment is asked again.
 *
 * @returns the job as it ended
 * @throws ApiError when it was lost from sight
 */
export async function followToEnd(options: FollowOptions): Promise<Job> {
  const { client, address, signal, onCancelling } = options;
  try {
    return await follow(options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'cancelled' || !signal.aborted) throw error;
    onCancelling();
    return cancel(client, address);
  }
}

/** The retries of each call are left out: only here is known whether there is anything to hope for. */
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
      const passes = error instanceof ApiError && PASSING.includes(error.kind);
      if (!passes || !mayRecover() || ++failures >= MOST_FAILURES) throw error;
      await pause(client.context, 'getJobStatus', Math.max(PAUSE_MS * failures, error.retryAfterMs ?? 0), signal);
    }
  }
}

/** Cancels on the platform; a job that has ended meanwhile stays as it ended. */
async function cancel(client: Client, address: JobAddress): Promise<Job> {
  await client.cancelJob(address).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'validation') throw error;
  });
  return client.getJobStatus(address);
}
