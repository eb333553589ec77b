import type { Client } from '../../../client/client.ts';
import { isTerminal } from '../../../contract/job.ts';
import type { StoredJob } from '../jobHistoryStore.ts';

/** Maximum number of jobs that are read again for a list, and the timeout for each, in ms. */
const MAX_ASKED = 5;
const PATIENCE_MS = 3_000;

interface ReadOptions {
  readonly client: Client;
  /** Records a job in the history. */
  readonly record: (job: StoredJob) => PromiseLike<void>;
}

/** Returns the jobs with the current status of unfinished ones. A job that cannot be read in time stays unchanged. */
export async function withPresentStatus(
  jobs: readonly StoredJob[],
  { client, record }: ReadOptions,
): Promise<readonly StoredJob[]> {
  const unfinished = jobs.filter(({ status }) => !isTerminal(status)).slice(0, MAX_ASKED);
  const asked = unfinished.map(async (stored): Promise<StoredJob> => {
    const address = { endpointId: stored.endpointId, jobId: stored.id };
    const seen = await client.getJobStatus(address, { timeout: PATIENCE_MS }).catch(() => undefined);
    if (!seen || seen.status === stored.status) return stored;
    const current = { ...stored, status: seen.status };
    await record(current);
    return current;
  });
  const current = new Map((await Promise.all(asked)).map((job) => [job.id, job]));
  return jobs.map((job) => current.get(job.id) ?? job);
}
