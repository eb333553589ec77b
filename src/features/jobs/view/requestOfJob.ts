import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRequest } from '../../../contract/job.ts';
import { pick, type ShownItem } from '../../../kit/quickInput.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { fileStem } from '../../../text/fileNames.ts';
import { jobFileName, openDraft } from '../jobFiles.ts';
import { readJobFile } from '../model/checkJobFile.ts';
import { jobFileText } from '../model/jobInput.ts';
import { jobName, type StoredJob } from '../model/storedJob.ts';
import type { Jobs, JobServices } from '../jobServices.ts';
import type { ChosenJob } from './chosenJobs.ts';

type Sources = Pick<JobServices, 'history' | 'requests'>;

/** Returns the request of a job. @throws UserError with the reason if the request is not stored */
export async function requestOf(
  { requests }: Pick<Sources, 'requests'>,
  { connectionId, job }: ChosenJob,
): Promise<JobRequest> {
  const request = await requests.get(connectionId, job.id);
  if (request) return request;
  const file = await existingFile(job);
  const instead = file ? shown`. Its file “${jobFileName(file)}” still exists` : shown``;
  throw new UserError(shown`${whyNotStored(job)}${instead}`);
}

/** Returns the request of a job, as it was sent or else as its file has it now. @throws UserError with the reason if neither is known */
export async function requestOrFile(services: Pick<Sources, 'requests'>, chosen: ChosenJob): Promise<JobRequest> {
  const stored = await services.requests.get(chosen.connectionId, chosen.job.id);
  const file = stored ? undefined : await existingFile(chosen.job);
  const read = file && readJobFile((await vscode.workspace.openTextDocument(file)).getText());
  return stored ?? read?.body ?? requestOf(services, chosen);
}

/** Shows the request of a job: the stored request, or its file if that still exists. */
export async function openRequest(
  { services, viewDocuments: documents }: { readonly services: Sources } & Pick<Jobs, 'viewDocuments'>,
  chosen: ChosenJob,
): Promise<void> {
  const { connectionId, job } = chosen;
  const file = await existingFile(job);
  const isStored = (await services.requests.get(connectionId, job.id)) !== undefined;
  const open = file ? await chooseSource(file, job, isStored) : 'request';
  if (open === undefined) return;
  if (open === 'file' && file) {
    await vscode.window.showTextDocument(file, { preview: true });
    return;
  }
  // Reports the reason if the request is not stored.
  await requestOf(services, chosen);
  const address = { kind: 'request', connectionId, endpointId: job.endpointId, jobId: job.id } as const;
  await documents.show(address, jobName(job, services.history.recent(connectionId)));
}

/** Opens a new unsaved job file with the endpoint and the request of a job. */
export async function editAndRun(services: Pick<Sources, 'requests'>, chosen: ChosenJob): Promise<void> {
  const request = await requestOf(services, chosen);
  const { endpointName } = chosen.job;
  await openDraft(fileStem(endpointName, 'job'), jobFileText({ endpoint: endpointName, ...request }));
}

async function chooseSource(
  file: vscode.Uri,
  job: StoredJob,
  isStored: boolean,
): Promise<'file' | 'request' | undefined> {
  const items: readonly (ShownItem & { readonly open: 'file' | 'request' })[] = [
    {
      label: shown`$(go-to-file) ${jobFileName(file)}`,
      description: l10n.t('the file of the job, which may have changed since'),
      open: 'file',
    },
    {
      label: shown`$(json) Request as Sent`,
      description: isStored ? l10n.t('read-only') : whyNotStored(job),
      open: 'request',
    },
  ];
  return (await pick(items, { title: l10n.t('Open Request'), placeholder: l10n.t('Request to open') }))?.open;
}

/** Returns the file that a job was sent from, if the file still exists. */
async function existingFile({ file }: StoredJob): Promise<vscode.Uri | undefined> {
  if (file === undefined) return undefined;
  try {
    const uri = vscode.Uri.parse(file, true);
    await vscode.workspace.fs.stat(uri);
    return uri;
  } catch {
    return undefined;
  }
}

function whyNotStored({ notStored }: StoredJob): ShownText {
  switch (notStored) {
    case 'tooLarge':
      return shown`the request is not stored, because it is too large`;
    case 'secret':
      return shown`the request is not stored, because it contains a value that looks like a secret`;
    case 'submittedElsewhere':
      return shown`the request is not known, because the job was submitted elsewhere`;
    case undefined:
      return shown`the request is no longer stored`;
  }
}
