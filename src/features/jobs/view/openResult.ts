import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import { isTerminal } from '../../../contract/job.ts';
import { foreign, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { showDifference } from '../../../kit/showDocuments.ts';
import { readJob } from '../actions/readJob.ts';
import { type StoredJob, jobName } from '../model/storedJob.ts';
import { showJobDocument } from '../results/showJobDocument.ts';
import { actionServices, type JobServices } from '../jobServices.ts';
import { type ChosenJob, pickJob, type ChosenJobs } from './chosenJobs.ts';
import { listed, EVERY_JOB } from './jobFilter.ts';

/** Shows the document of a job, with its current state. @throws UserError if the platform no longer has the job */
export async function openResult(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
  await readResult(services, { connectionId, job });
  await showJobDocument(services.documents, { connectionId, endpointId: job.endpointId, jobId: job.id });
}

/**
 * Reads the result of a job into its document, unless an open document contains it. Does nothing while the platform cannot be called,
 * because the document explains that.
 */
async function readResult(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
  const { client, profile } = services.connections;
  if (!client || profile?.id !== connectionId) return;
  if (isTerminal(job.status) && isOpen(resultUri(services, { connectionId, job }))) return;
  try {
    await readJob(job, actionServices(services, connectionId));
  } catch (error) {
    throw error instanceof ApiError && error.kind === 'notFound' ? goneError(job, profile) : error;
  }
}

/** Returns the address of a job's document. */
function resultUri({ documents }: Pick<JobServices, 'documents'>, { connectionId, job }: ChosenJob): vscode.Uri {
  return documents.uri({ connectionId, endpointId: job.endpointId, jobId: job.id });
}

/** Returns the error for a job that the platform no longer has. */
export function goneError({ id, endpointName }: Pick<StoredJob, 'id' | 'endpointName'>, profile: Profile): UserError {
  const subject = shown`“${profile.name}” does not have job ${foreign(id, 60)} of “${endpointName}”`;
  return new UserError(shown`${subject}. ${retentionWords(profile.kind)}`);
}

/** Says how long a platform keeps a job. */
function retentionWords(kind: Profile['kind']): string {
  return kind === 'local'
    ? l10n.t('The local platform keeps a job for 24 hours after its end.')
    : l10n.t('Hosted platforms keep a result for 30 minutes, or for 1 minute if the request waited for it.');
}

function isOpen(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some(
    (document) => !document.isClosed && document.uri.toString() === uri.toString(),
  );
}

/** Lets the user pick one of the jobs of the list, of one endpoint or of all, and shows its result. */
export async function openRecent(services: JobServices, argument: unknown): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const connectionId = profile.id;
  const endpointIds = isEndpointNode(argument) ? [argument.endpointId] : [];
  const jobs = listed(services.history.recent(connectionId), { states: [], endpointIds });
  if (jobs.length === 0)
    throw new UserError(
      endpointIds.length === 0
        ? shown`no job has been run on ${profile.name} from this editor yet`
        : l10n.t('no job has been run on this endpoint from this editor yet'),
      { label: l10n.t('Run Job…'), command: 'cloudCompute.jobs.run' },
    );
  const job = await pickJob(services, jobs, l10n.t('Job to open'), l10n.t('Recent Jobs'));
  if (job) await openResult(services, { connectionId, job });
}

/** Shows the difference between the results of two jobs, the older one on the left. Asks for the second job if there is only one. */
export async function compareJobs(services: JobServices, { connectionId, jobs }: ChosenJobs): Promise<void> {
  if (jobs.length > 2) throw new UserError(l10n.t('select two jobs'));
  const [first] = jobs;
  const second = jobs[1] ?? (first && (await pickSecond(services, connectionId, first)));
  if (!first || !second) return;
  const [older, newer] = first.submittedAt <= second.submittedAt ? [first, second] : [second, first];
  for (const job of [older, newer]) await readResult(services, { connectionId, job });
  const all = services.history.recent(connectionId);
  await showDifference(
    resultUri(services, { connectionId, job: older }),
    resultUri(services, { connectionId, job: newer }),
    shown`${jobName(older, all)} ↔ ${jobName(newer, all)}`,
  );
}

/** Offers the other jobs, those of the same endpoint first. */
async function pickSecond(
  services: JobServices,
  connectionId: string,
  first: StoredJob,
): Promise<StoredJob | undefined> {
  const others = listed(services.history.recent(connectionId), EVERY_JOB).filter(({ id }) => id !== first.id);
  if (others.length === 0) throw new UserError(l10n.t('the list contains no other job'));
  const isSame = ({ endpointId }: StoredJob) => endpointId === first.endpointId;
  const sorted = [...others.filter(isSame), ...others.filter((job) => !isSame(job))];
  return pickJob(services, sorted, l10n.t('Job to compare with'), l10n.t('Compare Results'));
}
