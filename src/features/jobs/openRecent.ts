import type { Client } from '../../client/client.ts';
import { isTerminal } from '../../contract/job.ts';
import { UserError } from '../../vscode/errors.ts';
import { pick, type ShownItem } from '../../vscode/quickInput.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import { isEndpointNode } from '../endpoints/endpointNode.ts';
import { historyKey, type StoredJob } from './jobHistoryStore.ts';
import { ago, statusIcon, statusWords } from './jobWords.ts';
import type { JobServices } from './runJob.ts';
import { showJobDocument } from './showJobDocument.ts';

/** Jobs that had not ended when they were seen last are looked at again, at most so many and for so long. */
const MOST_ASKED = 5;
const PATIENCE_MS = 3_000;

/** Lets a person pick one of the jobs run from here, of one endpoint or of all, and shows it. */
export async function openRecent(services: JobServices, argument: unknown): Promise<void> {
  const { client, profile } = requireConnection(services.connections);
  const key = historyKey(profile);
  const endpointId = isEndpointNode(argument) ? argument.endpointId : undefined;
  const jobs = services.history.recent(key).filter((job) => endpointId === undefined || job.endpointId === endpointId);
  if (jobs.length === 0)
    throw new UserError(
      endpointId === undefined
        ? shown`no job has been run on ${profile.name} from here yet`
        : 'no job has been run on it yet',
      { label: 'Run Job…', command: 'cloudCompute.jobs.run' },
    );
  const now = services.clock.now();
  const items = refreshed(services, client, key, jobs).then((current) => current.map((job) => itemOf(job, now)));
  const chosen = await pick(items, { title: 'Recent Jobs', placeholder: 'Job to open' });
  if (!chosen) return;
  const address = { endpointId: chosen.job.endpointId, jobId: chosen.job.id };
  // Asked for here, so that a job that is gone is a message rather than a broken editor.
  const job = await client.getJobStatus(address);
  services.documents.update(address, job);
  await services.history.put(key, { ...chosen.job, status: job.status });
  await showJobDocument(address);
}

/** The list with the present status of those that were not over. */
async function refreshed(
  { history }: JobServices,
  client: Client,
  key: string,
  jobs: readonly StoredJob[],
): Promise<readonly StoredJob[]> {
  const unfinished = jobs.filter(({ status }) => !isTerminal(status)).slice(0, MOST_ASKED);
  const asked = unfinished.map(async (stored): Promise<StoredJob> => {
    const address = { endpointId: stored.endpointId, jobId: stored.id };
    const seen = await client.getJobStatus(address, { timeout: PATIENCE_MS }).catch(() => undefined);
    if (!seen || seen.status === stored.status) return stored;
    const current = { ...stored, status: seen.status };
    await history.put(key, current);
    return current;
  });
  const current = new Map((await Promise.all(asked)).map((job) => [job.id, job]));
  return jobs.map((job) => current.get(job.id) ?? job);
}

function itemOf(job: StoredJob, now: number): ShownItem & { readonly job: StoredJob } {
  return {
    label: shown`$(${statusIcon(job.status)}) ${job.endpointName}`,
    description: `${statusWords(job.status)} · ${ago(now - job.submittedAt)}`,
    detail: job.id,
    job,
  };
}
