import { ApiError } from '../../../client/apiError.ts';
import { isTerminal } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { forEachJob, orMarkGone, readJob, type JobFailure, type JobRecord } from './readJob.ts';

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
