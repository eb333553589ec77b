import * as vscode from 'vscode';
import { registerCommands } from '../../kit/commands.ts';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerBatches } from './batch/index.ts';
import { jobCommands } from './commands.ts';
import { registerLinks } from './links/index.ts';
import { registerTasks } from './tasks/index.ts';
import { JobFollower } from './actions/jobFollower.ts';
import { JobHistoryStore } from './actions/jobHistoryStore.ts';
import { JobRequestStore } from './actions/jobRequests.ts';
import type { JobRecords, JobServices } from './jobServices.ts';
import { registerJobLanguage } from './language/index.ts';
import { JobSchemas } from './language/jobSchemas.ts';
import { LastInputStore } from './lastInputStore.ts';
import { registerResults } from './results/index.ts';
import { JobDocuments } from './results/jobDocuments.ts';
import { registerJobTests } from './tests/index.ts';
import { announceEnded } from './run/announceEnded.ts';
import { JobPrices } from './view/jobPrices.ts';
import { JobFilterStore } from './view/jobFilterStore.ts';
import { registerJobView } from './view/jobView.ts';
import { JobViewDocuments } from './view/jobViewDocuments.ts';

export { copyCommands } from './commands.ts';
export type { CopyRequest } from './copyAs/copyAs.ts';
export type { JobRecords } from './jobServices.ts';
export { partToShow, showJobDocument } from './results/showJobDocument.ts';

/** Registers the commands, documents, tasks, and links for jobs of queue endpoints. */
export function registerJobs(base: AccountServices): vscode.Disposable & JobRecords {
  const { connections, context, clock, globalState, log } = base;
  const history = new JobHistoryStore(globalState);
  const documents = new JobDocuments({ ...base, history });
  const follower = new JobFollower({
    ...{ connections, clock, history, documents, announce: announceEnded },
    onError: (error) => log.warn('Could not follow a job', error),
  });
  const requests = new JobRequestStore(requestFolder(context), (error) =>
    log.warn('Could not store the requests of jobs', error),
  );
  const lastInputs = new LastInputStore(context.workspaceState);
  const manifests = new JobSchemas(log);
  const services: JobServices = { ...base, history, documents, follower, requests, lastInputs, manifests };
  const batches = registerBatches(base);
  const filters = new JobFilterStore(context.workspaceState);
  const viewDocuments = new JobViewDocuments(clock, async (address) => {
    const { readViewDocument } = await import('./view/readViewDocument.ts');
    return readViewDocument(services, address);
  });
  const registered = vscode.Disposable.from(
    follower,
    new JobPrices({ ...base, history }),
    history,
    manifests,
    onStoredConnections(connections, (ids) => {
      void requests.keepOnly(ids);
    }),
    registerJobLanguage(services),
    batches,
    registerJobTests(base),
    registerResults(services),
    filters,
    viewDocuments.register(),
    registerJobView({ ...base, history, filters }),
    registerTasks(services),
    registerLinks(services),
    registerCommands(log, jobCommands(services, { batches: batches.services, viewDocuments, filters })),
  );
  return Object.assign(registered, { history, lastInputs, documents, requests, follower, manifests });
}

/** Returns the folder of the stored requests. A window without a folder has no storage of its own. */
function requestFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'job-requests').fsPath;
}
