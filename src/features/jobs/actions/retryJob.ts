import type { Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { orMarkGone, type JobRecord } from './readJob.ts';
import { timed } from './submissionTimes.ts';

const RETRYABLE: readonly string[] = ['FAILED', 'TIMED_OUT'];

/** Returns whether the platform can submit a job again under its ID. */
export function canRetry({ status, gone = false }: Pick<StoredJob, 'status' | 'gone'>): boolean {
  return !gone && RETRYABLE.includes(status);
}

/** Submits a failed job again under its ID, and follows it. @throws ApiError; of kind `notFound` after marking the job as gone */
export async function retryJob(job: StoredJob, services: JobRecord): Promise<Job> {
  const { client, connectionId, clock, tracking, history } = services;
  const { endpointId, id: jobId } = job;
  const sent = timed(clock, (onSend) => client.retryJob({ endpointId, jobId }, { onSend }));
  const { answer, times } = await orMarkGone(job, services, sent);
  const { delayTime, executionTime, workerId, endedAt, gone, ...kept } = job;
  const again: StoredJob = { ...kept, ...times, status: answer.status };
  await history.put(connectionId, again);
  await tracking.seen(connectionId, again, answer);
  tracking.track(connectionId, again);
  return answer;
}
