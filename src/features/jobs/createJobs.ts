import * as vscode from 'vscode';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { JobHistoryStore } from './jobHistoryStore.ts';
import { registerJobLanguage } from './language/index.ts';
import { JobSchemas } from './language/jobSchemas.ts';
import { LastInputStore } from './lastInputStore.ts';
import { JobRequestStore } from './requests/jobRequestStore.ts';
import { registerResults } from './results/index.ts';
import { JobDocuments } from './results/jobDocuments.ts';
import type { JobShells } from './jobShells.ts';
import type { JobServices } from './run/jobServices.ts';
import { announceEnded } from './tracking/announceEnded.ts';
import { JobPrices } from './tracking/jobPrices.ts';
import { JobTracker } from './tracking/jobTracker.ts';
import { JobFilterStore } from './view/jobFilterStore.ts';
import { registerJobView } from './view/jobView.ts';
import { JobViewDocuments } from './view/jobViewDocuments.ts';

/** Jobs of this window, and what their commands use. */
export interface Jobs {
  readonly services: JobServices;
  /** Requests and log lines of jobs. */
  readonly viewDocuments: JobViewDocuments;
  readonly filters: JobFilterStore;
  readonly disposable: vscode.Disposable;
}

/** Creates the records of jobs, follows the unfinished ones, and registers the language of job files. */
export function createJobs(base: AccountServices, shells: JobShells): Jobs {
  const { connections, context, clock, globalState, log } = base;
  const history = new JobHistoryStore(globalState);
  const documents = new JobDocuments({ ...base, history }, shells.results);
  const tracking = new JobTracker({
    ...{ connections, clock, history },
    show: (address, job) => documents.update(address, job),
    announce: announceEnded,
    onError: (error) => log.warn('Could not follow a job', error),
  });
  const requests = new JobRequestStore(requestFolder(context));
  const lastInputs = new LastInputStore(context.workspaceState);
  const manifests = new JobSchemas(log);
  const services: JobServices = { ...base, history, documents, tracking, requests, lastInputs, manifests };
  const filters = new JobFilterStore(context.workspaceState);
  const viewDocuments = new JobViewDocuments(clock, shells.views, async (address) => {
    const { readViewDocument } = await import('./view/readViewDocument.ts');
    return readViewDocument(services, address);
  });
  const disposable = vscode.Disposable.from(
    tracking,
    new JobPrices({ ...base, history }),
    history,
    completeStep(base, history),
    manifests,
    onStoredConnections(connections, (ids) => {
      requests.keepOnly(ids).catch((error: unknown) => log.warn('Could not update the stored jobs', error));
    }),
    registerJobLanguage(services),
    registerResults(services),
    filters,
    viewDocuments.register(),
    registerJobView({ ...base, history, filters }, shells),
  );
  return { services, viewDocuments, filters, disposable };
}

/** Completes the step of the walkthrough that a completed job stands for. */
function completeStep({ completedSteps }: AccountServices, history: JobHistoryStore): vscode.Disposable {
  const subscription = history.onDidChange((connectionId) => {
    if (completedSteps.has('job')) return;
    if (history.recent(connectionId).some(({ status }) => status === 'COMPLETED')) completedSteps.complete('job');
  });
  return new vscode.Disposable(() => subscription.dispose());
}

/** Returns the folder of the stored requests. A window without a folder has no storage of its own. */
function requestFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'job-requests').fsPath;
}
