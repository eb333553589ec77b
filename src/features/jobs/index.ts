import * as vscode from 'vscode';
import { registerCommand } from '../../kit/commands.ts';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerBatches } from './batch/index.ts';
import { registerLinks } from './links/index.ts';
import { registerTasks } from './tasks/index.ts';
import { JobHistoryStore } from './jobHistoryStore.ts';
import { registerJobLanguage } from './language/index.ts';
import { JobSchemas } from './language/jobSchemas.ts';
import { LastInputStore } from './lastInputStore.ts';
import { JobRequestStore } from './requests/jobRequestStore.ts';
import { registerResults } from './results/index.ts';
import { JobDocuments } from './results/jobDocuments.ts';
import type { JobRecords, JobServices } from './run/jobServices.ts';
import { runCommand } from './run/runCommand.ts';
import { RUN_FAILED } from './run/runJob.ts';
import { registerJobTests } from './tests/index.ts';
import { announceEnded } from './tracking/announceEnded.ts';
import { JobPrices } from './tracking/jobPrices.ts';
import { JobTracker } from './tracking/jobTracker.ts';
import { registerJobsView } from './view/index.ts';

export { registerCopyAs } from './copyAs/index.ts';
export type { JobRecords } from './run/jobServices.ts';
export { partToShow, showJobDocument } from './results/showJobDocument.ts';

/** Registers the commands, documents, tasks, and links for jobs of queue endpoints. */
export function registerJobs(base: AccountServices): vscode.Disposable & JobRecords {
  const { connections, context, clock, globalState, log } = base;
  const history = new JobHistoryStore(globalState);
  const documents = new JobDocuments({ ...base, history });
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
  const registered = vscode.Disposable.from(
    tracking,
    new JobPrices({ ...base, history }),
    history,
    manifests,
    onStoredConnections(connections, (ids) => {
      requests.keepOnly(ids).catch((error: unknown) => log.warn('Could not update the stored jobs', error));
    }),
    registerJobLanguage(services),
    registerBatches(base),
    registerJobTests(base),
    registerResults(services),
    registerCommand(log, 'cloudCompute.jobs.run', RUN_FAILED, (argument) => runCommand(services, argument, 'run')),
    registerCommand(log, 'cloudCompute.jobs.runAndWait', RUN_FAILED, (argument) =>
      runCommand(services, argument, 'runSync'),
    ),
    registerJobsView(services),
    registerTasks(services),
    registerLinks(services),
  );
  return Object.assign(registered, { history, lastInputs, documents, requests, tracking, manifests });
}

/** Returns the folder of the stored requests. A window without a folder has no storage of its own. */
function requestFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'job-requests').fsPath;
}
