import { ApiError } from '../../client/apiError.ts';
import { UserError } from '../../vscode/userError.ts';
import { pick, type ShownItem } from '../../vscode/quickInput.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import { isEndpointNode } from '../endpoints/endpointNode.ts';
import type { StoredJob } from './jobHistoryStore.ts';
import { ago, statusIcon, statusWords } from './jobWords.ts';
import { withPresentStatus } from './actions/readRecentJobs.ts';
import type { JobServices } from './run/jobServices.ts';
import type { ConnectedJob } from './results/jobAddress.ts';
import { partToShow, showJobDocument } from './results/showJobDocument.ts';

/** Lets the user pick one of the submitted jobs, of one endpoint or of all, and shows it. */
export async function openRecent(services: JobServices, argument: unknown): Promise<void> {
  const { history, clock } = services;
  const { client, profile } = requireConnection(services.connections);
  const connectionId = profile.id;
  const reading = { client, record: (job: StoredJob) => history.put(connectionId, job) };
  const endpointId = isEndpointNode(argument) ? argument.endpointId : undefined;
  const jobs = history.recent(connectionId).filter((job) => endpointId === undefined || job.endpointId === endpointId);
  if (jobs.length === 0)
    throw new UserError(
      endpointId === undefined
        ? shown`no job has been run on ${profile.name} from this editor yet`
        : 'no job has been run on this endpoint from this editor yet',
      { label: 'Run Job…', command: 'cloudCompute.jobs.run' },
    );
  const now = clock.now();
  const items = withPresentStatus(jobs, reading).then((current) => current.map((job) => itemOf(job, now)));
  const chosen = await pick(items, { title: 'Recent Jobs', placeholder: 'Job to open' });
  if (!chosen) return;
  const address = { connectionId, endpointId: chosen.job.endpointId, jobId: chosen.job.id };
  await showStored(services, address, chosen.job);
}

/** Shows a job in its current state. The document explains why the platform no longer has a job. */
async function showStored(services: JobServices, address: ConnectedJob, job: StoredJob): Promise<void> {
  const { client } = requireConnection(services.connections);
  const state = await client.getJobStatus(address).catch((error: unknown) => {
    if (error instanceof ApiError && error.kind === 'notFound') return undefined;
    throw error;
  });
  if (state) await services.tracking.seen(address.connectionId, job, state);
  else await services.history.put(address.connectionId, { ...job, gone: true });
  await showJobDocument(address, state ? partToShow(state) : 'result');
}

function itemOf(job: StoredJob, now: number): ShownItem & { readonly job: StoredJob } {
  return {
    label: shown`$(${statusIcon(job.status)}) ${job.endpointName}`,
    description: `${statusWords(job.status)} · ${ago(now - job.submittedAt)}`,
    detail: job.id,
    job,
  };
}
