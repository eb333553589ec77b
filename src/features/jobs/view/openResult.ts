import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import { isTerminal } from '../../../contract/job.ts';
import { foreign, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { readJob } from '../actions/readJob.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { showJobDocument } from '../results/showJobDocument.ts';
import type { ChosenJob } from './chosenJobs.ts';
import { actionServices, type JobServices } from '../jobServices.ts';

/** Shows the document of a job, with its current state. @throws UserError if the platform no longer has the job */
export async function openResult(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
  await readResult(services, { connectionId, job });
  await showJobDocument(services.documents, { connectionId, endpointId: job.endpointId, jobId: job.id });
}

/**
 * Reads the result of a job into its document, unless an open document contains it. Does nothing while the platform cannot be called,
 * because the document explains that.
 */
export async function readResult(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
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
export function resultUri({ documents }: Pick<JobServices, 'documents'>, { connectionId, job }: ChosenJob): vscode.Uri {
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
