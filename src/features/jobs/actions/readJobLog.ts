import type { Client } from '../../../client/client.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { jobWindow, linesOfJob, type JobLogLines } from '../model/jobLogLines.ts';

/** Number of the last lines of a worker that are searched first. It is the maximum of the platform. */
const LAST_LINES = 5_000;
/** Maximum number of lines that were written while the job ran. */
export const MAX_SEARCHED_LINES = 100_000;
/** Possible difference between the clocks of this machine and of the platform, in ms. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Reads the end of a worker's log, or the part from the time of a job, and returns the lines of the job. @throws ApiError; of kind `notFound` if the log is gone */
export async function readJobLog(
  client: Client,
  job: StoredJob & { readonly workerId: string },
  now: number,
  signal?: AbortSignal,
): Promise<JobLogLines> {
  const { readWorkerLogTail } = await import('../../../client/workerLogTail.ts');
  const { endpointId: id, workerId } = job;
  const options = { id, workerId, ...(signal && { signal }) };
  const found = linesOfJob(await readWorkerLogTail(client.context, { ...options, tail: LAST_LINES }), job, now);
  const window = jobWindow(job, now);
  if (!found.startsLate || !window) return found;
  const between = { from: window.from - CLOCK_DIFFERENCE_MS, to: window.to + CLOCK_DIFFERENCE_MS };
  const events = await readWorkerLogTail(client.context, { ...options, tail: MAX_SEARCHED_LINES, between });
  return events.length === 0 ? found : linesOfJob(events, job, now);
}
