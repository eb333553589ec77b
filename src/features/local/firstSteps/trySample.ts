import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { homedir } from 'node:os';
import type { Client } from '../../../client/client.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withProgress, type Report } from '../../../kit/progress.ts';
import { LOCAL_ID } from '../../../account/connections/connectionDocument.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { progressWords, statusWords } from '../../../account/jobWords.ts';
import { showEnd, type JobRecords } from '../../jobs/index.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { requireTrust } from '../../../account/consent/workspaceTrust.ts';
import type { SampleObserver, SampleResult, SampleStep } from './actions/runSample.ts';
import { explained, PlatformStartFailed } from './sampleErrors.ts';
import type { ShownItem } from '../../../kit/quickInput.ts';
import { askItem, BACK } from '../../../kit/steps.ts';
import { folderState, sampleFolderIn } from './actions/copySample.ts';

const LOGS: CommandId = 'cloudCompute.logs.open';
const WALKTHROUGH: CommandId = 'cloudCompute.walkthrough.open';

/** Asks for a folder, and tries the sample in it with visible progress: from the copy to the result of its job. */
export async function trySample(services: AccountServices, jobs: JobRecords): Promise<void> {
  const { log } = services;
  requireTrust({ source: 'workspaceFile', process: undefined, deed: l10n.t('trying the sample') });
  const source = services.context.asAbsolutePath(path.join('samples', 'hello-queue'));
  const folder = await chooseSampleFolder(source);
  if (folder === undefined) return;
  await vscode.commands.executeCommand('cloudCompute.endpoints.focus', { preserveFocus: true });
  const title = l10n.t('Trying the sample');
  const result = await withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) =>
    runIn(services, jobs, { source, folder, signal, report }),
  ).then(undefined, (error: unknown) => {
    throw explained(error, folder);
  });
  const { endpoint, job } = result;
  await showEnd(jobs.documents, { connectionId: LOCAL_ID, endpointId: endpoint.id, jobId: job.id }, job);
  // Not awaited, because the command is complete before the user answers the message.
  void offerNext(result, folder).catch((error: unknown) => log.warn('Could not continue after the sample', error));
}

interface Run {
  readonly source: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly report: Report;
}

async function runIn(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform' | 'endpoints'>,
  jobs: JobRecords,
  { source, folder, signal, report }: Run,
): Promise<SampleResult> {
  const { clock, endpoints } = services;
  const { history, follower, requests } = jobs;
  const { runSample } = await import('./actions/runSample.ts');
  const observer: SampleObserver = {
    step: (step) => report(stepWords(step)),
    ready: async ({ id }) => {
      const node: EndpointNode = { kind: 'endpoint', endpointId: id };
      await vscode.commands.executeCommand(LOGS, node);
    },
    onWaiting: (job, elapsedMs) => report(progressWords({ job, elapsedMs, workers: undefined, maxWorkers: undefined })),
  };
  return runSample({
    ...{ source, folder, signal, observer, store: endpoints },
    jobs: { connectionId: LOCAL_ID, clock, history, follower, requests },
    connect: () => connect(services, signal),
  }).finally(() => void endpoints.refresh());
}

/** Starts the local platform and makes it the current connection, unless the user canceled meanwhile. */
async function connect(
  services: Pick<AccountServices, 'connections' | 'localPlatform'>,
  signal: AbortSignal,
): Promise<Client> {
  const announcement = await services.localPlatform.start().catch((error: unknown) => {
    throw new PlatformStartFailed(error);
  });
  signal.throwIfAborted();
  await useLocalPlatform(services, announcement);
  return requireConnectionOf(services.connections, LOCAL_ID).client;
}

function stepWords(step: SampleStep): string {
  switch (step) {
    case 'copy':
      return l10n.t('copying its files…');
    case 'start':
      return l10n.t('starting the local platform…');
    case 'create':
      return l10n.t('creating its endpoint…');
    case 'run':
      return l10n.t('running its job…');
  }
}

/** Reports the end of the sample, and offers to continue. */
async function offerNext({ endpoint, job }: SampleResult, folder: string): Promise<void> {
  const isCompleted = job.status === 'COMPLETED';
  const open = isInWorkspace(folder) ? l10n.t('Open Manifest') : l10n.t('Open Folder');
  const next = isCompleted ? l10n.t('Open Walkthrough') : l10n.t('Explain');
  const message = isCompleted
    ? l10n.t`The job of the sample is complete. Its files are in ${folder}.`
    : l10n.t`The job of the sample ended with the status ${statusWords(job.status)}. Its files are in ${folder}.`;
  const chosen = await showMessage(isCompleted ? 'information' : 'warning', message, open, next);
  if (chosen === open) await openCopy(folder);
  if (chosen !== next) return;
  const node: EndpointNode = { kind: 'endpoint', endpointId: endpoint.id };
  const explain: CommandId = 'cloudCompute.endpoints.explain';
  await (isCompleted ? vscode.commands.executeCommand(WALKTHROUGH) : vscode.commands.executeCommand(explain, node));
}

function isInWorkspace(folder: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined;
}

/** Opens the manifest of a copy in the workspace, or else the folder. An empty window opens it itself. */
async function openCopy(folder: string): Promise<void> {
  if (isInWorkspace(folder)) {
    await vscode.window.showTextDocument(vscode.Uri.file(path.join(folder, 'hello.endpoint.yaml')));
    return;
  }
  const forceNewWindow = (vscode.workspace.workspaceFolders ?? []).length > 0;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), { forceNewWindow });
}

interface FolderItem extends ShownItem {
  /** Path of the copy. Undefined: the user chooses the folder that contains it. */
  readonly folder: string | undefined;
}

/** Asks where the sample should be copied to. Resolves with the path of the copy, or undefined if the user dismissed the question. */
async function chooseSampleFolder(source: string): Promise<string | undefined> {
  // It stays open without the focus, which the walkthrough takes when one of its steps opens.
  const chosen = await askItem<FolderItem>({
    place: { title: l10n.t('Try the Sample') },
    placeholder: l10n.t('Select the folder for the sample. Existing files stay unchanged'),
    items: await folderItems(source),
  });
  if (chosen === undefined || chosen === BACK) return undefined;
  return chosen.item.folder ?? (await askForFolder(source));
}

async function folderItems(source: string): Promise<readonly FolderItem[]> {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return [
    ...(await Promise.all(open.map(({ name, uri }) => itemOfOpenFolder(source, name, uri.fsPath)))),
    await itemOf(source, l10n.t('In the Home Folder'), homedir(), 'home'),
    {
      label: l10n.t('Choose Folder…'),
      icon: new vscode.ThemeIcon('folder-opened'),
      folder: undefined,
      alwaysShow: true,
    },
  ];
}

/** The open folder can be the sample itself. */
async function itemOfOpenFolder(source: string, name: string, folder: string): Promise<FolderItem> {
  const state = await folderState(source, folder).catch(() => 'hasOtherFiles');
  if (state !== 'hasSample') return itemOf(source, l10n.t`In the Open Folder “${name}”`, folder, 'folder');
  const label = l10n.t`In the Open Folder “${name}”, Which Contains the Sample`;
  return { label, description: folder, icon: new vscode.ThemeIcon('folder'), folder };
}

async function itemOf(source: string, label: string, parent: string, icon: string): Promise<FolderItem> {
  const folder = await sampleFolderIn(source, parent);
  return { label, description: folder, icon: new vscode.ThemeIcon(icon), folder };
}

async function askForFolder(source: string): Promise<string | undefined> {
  const uris = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    title: l10n.t('Folder for the sample'),
    openLabel: l10n.t('Copy Sample'),
  });
  const parent = uris?.[0]?.fsPath;
  if (parent === undefined) return undefined;
  const isSample = (await folderState(source, parent)) === 'hasSample';
  return isSample ? parent : sampleFolderIn(source, path.resolve(parent));
}
