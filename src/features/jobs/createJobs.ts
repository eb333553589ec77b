import * as vscode from 'vscode';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { LocalFiles } from '../../account/sourceLinks/localFiles.ts';
import { JobFollower } from './actions/jobFollower.ts';
import { LateForms } from './form/lateForms.ts';
import { JobHistoryStore } from './actions/jobHistoryStore.ts';
import { JobRequestStore } from './actions/jobRequests.ts';
import { registerJobLanguage } from './language/index.ts';
import { registerInputSchemaProblems } from './language/inputSchemaProblems.ts';
import { JobSchemas } from './language/jobSchemas.ts';
import { LastInputStore } from './lastInputStore.ts';
import { JobDocuments } from './results/jobDocuments.ts';
import type { JobShells } from './jobShells.ts';
import type { Jobs, JobServices } from './jobServices.ts';
import { announceEnded } from './run/announceEnded.ts';
import { JobPrices } from './view/jobPrices.ts';
import { JobFilterStore } from './view/jobFilter.ts';
import { registerJobView } from './view/jobView.ts';
import { JobViewDocuments } from './view/jobViewDocuments.ts';
import { JOB_SCHEME } from './model/jobNames.ts';
import { resultFolds } from './results/resultFolds.ts';
import { ResultLenses, TracebackLinks } from './results/resultLenses.ts';
import { followStreamEnds } from './results/showJobDocument.ts';

/** Creates the records of jobs, follows the unfinished ones, and registers the language of job files. */
export function createJobs(base: AccountServices, shells: JobShells): Jobs {
  const { connections, context, clock, globalState, log } = base;
  const history = new JobHistoryStore(globalState);
  const documents = new JobDocuments({ ...base, history }, shells.results);
  const follower = new JobFollower({
    ...{ connections, clock, history, documents, announce: announceEnded },
    onError: (error) => log.warn('Could not follow a job', error),
  });
  const requests = new JobRequestStore(requestFolder(context), (error) =>
    log.warn('Could not store the requests of jobs', error),
  );
  const lastInputs = new LastInputStore(context.workspaceState);
  const manifests = new JobSchemas(log);
  const records = { ...base, history, documents, follower, requests, lastInputs, manifests };
  const forms = new LateForms(records);
  const services: JobServices = { ...records, forms };
  const filters = new JobFilterStore(context.workspaceState);
  const viewDocuments = new JobViewDocuments(clock, shells.views, async (address) => {
    const { readViewDocument } = await import('./view/readViewDocument.ts');
    return readViewDocument(services, address);
  });
  const disposable = vscode.Disposable.from(
    follower,
    forms,
    new JobPrices({ ...base, history }),
    history,
    completeStep(base, history),
    manifests,
    onStoredConnections(connections, (ids) => {
      void requests.keepOnly(ids);
    }),
    registerJobLanguage(services),
    registerInputSchemaProblems({ ...base, schemas: manifests }),
    registerResults(services),
    filters,
    viewDocuments.register(),
    registerJobView({ ...base, history, filters }, shells),
  );
  return { services, viewDocuments, filters, disposable };
}

/** Completes the step of the walkthrough that a completed job stands for. */
function completeStep(
  { completedSteps }: Pick<AccountServices, 'completedSteps'>,
  history: JobHistoryStore,
): vscode.Disposable {
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

/** Registers the documents of jobs: results, errors, streams, and images. */
function registerResults({ documents, requests, clock }: JobServices): vscode.Disposable {
  const selector: vscode.DocumentSelector = { scheme: JOB_SCHEME };
  return vscode.Disposable.from(
    documents.register(),
    vscode.languages.registerCodeLensProvider(selector, new ResultLenses(documents, requests)),
    vscode.languages.registerFoldingRangeProvider(selector, resultFolds),
    vscode.languages.registerDocumentLinkProvider(selector, new TracebackLinks(documents, new LocalFiles(clock))),
    followStreamEnds(),
  );
}
