import type { Client } from '../../../client/client.ts';
import type { StoredJob } from '../jobHistoryStore.ts';
import { linesOfJob, type JobLogLines } from '../model/jobLogLines.ts';

/** Maximum number of log lines of a worker that are searched for the lines of a job. It is the maximum of the platform. */
export const MAX_SEARCHED_LINES = 5_000;

/** Reads the end of a worker's log, and returns the lines of one job. @throws ApiError; of kind `notFound` if the log is gone */
export async function readJobLog(
  client: Client,
  job: StoredJob & { readonly workerId: string },
  now: number,
  signal?: AbortSignal,
): Promise<JobLogLines> {
  const { readWorkerLogTail } = await import('../../../client/workerLogTail.ts');
  const { endpointId: id, workerId } = job;
  const options = { id, workerId, tail: MAX_SEARCHED_LINES, ...(signal ? { signal } : {}) };
  return linesOfJob(await readWorkerLogTail(client.context, options), job, now);
}
