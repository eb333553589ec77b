import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { forEachJob, orMarkGone, readJob, rereadJobs, type JobFailure, type JobRecord } from './readJob.ts';
import { timed } from './submitJob.ts';

/** Cancels unfinished jobs, and records their states. Returns the jobs that were not canceled. A job that has ended is unchanged. */
export function cancelJobs(jobs: readonly StoredJob[], services: JobRecord): Promise<readonly JobFailure[]> {
  const unfinished = jobs.filter(({ status }) => !isTerminal(status));
  return forEachJob(unfinished, (job) => cancel(job, services));
}

async function cancel(job: StoredJob, services: JobRecord): Promise<void> {
  const answer = services.client.cancelJob({ endpointId: job.endpointId, jobId: job.id });
  await orMarkGone(job, services, answer).catch((error: unknown) => {
    // The platform rejects the cancellation of a job that ended in the meantime.
    if (!(error instanceof ApiError) || error.kind !== 'validation') throw error;
  });
  await readJob(job, services);
}

const RETRYABLE: readonly string[] = ['FAILED', 'TIMED_OUT'];

/** Returns whether the platform can submit a job again under its ID. */
export function canRetry({ status, gone = false }: Pick<StoredJob, 'status' | 'gone'>): boolean {
  return !gone && RETRYABLE.includes(status);
}

/** Submits a failed job again under its ID, and follows it. @throws ApiError; of kind `notFound` after marking the job as gone */
export async function retryJob(job: StoredJob, services: JobRecord): Promise<Job> {
  const { client, connectionId, clock, follower, history } = services;
  const { endpointId, id: jobId } = job;
  const sent = timed(clock, (onSend) => client.retryJob({ endpointId, jobId }, { onSend }));
  const { answer, times } = await orMarkGone(job, services, sent);
  const { delayTime, executionTime, workerId, endedAt, gone, ...kept } = job;
  const again: StoredJob = { ...kept, ...times, status: answer.status };
  await history.put(connectionId, again);
  await follower.seen(connectionId, again, answer);
  return answer;
}

/** Reads the numbers of jobs that wait and run on an endpoint. @throws ApiError */
export async function readQueue(
  client: Client,
  endpointId: string,
): Promise<{ readonly waiting: number; readonly running: number }> {
  const { jobs } = await client.getEndpointHealth({ endpointId });
  return { waiting: jobs.inQueue, running: jobs.inProgress };
}

/**
 * Removes the waiting jobs of an endpoint, and reads those of them that are in the history. Returns the number of removed jobs.
 *
 * @throws ApiError if the queue was not purged
 */
export async function purgeQueue(endpointId: string, services: JobRecord): Promise<number> {
  const { client, connectionId, history } = services;
  const { removed } = await client.purgeQueue({ endpointId });
  const waited = history
    .recent(connectionId)
    .filter((job) => job.endpointId === endpointId && job.status === 'IN_QUEUE' && !job.gone);
  // The follower reads a job again if this read fails.
  await rereadJobs(waited, services);
  return removed;
}
