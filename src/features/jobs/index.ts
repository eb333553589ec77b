import * as vscode from 'vscode';
import { registerCommand } from '../../kit/commands.ts';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerBatches } from './batch/index.ts';
import { registerLinks } from './links/index.ts';
import { registerTasks } from './tasks/index.ts';
import { registerJobLanguage } from './language/index.ts';
import { JobFollower } from './actions/jobFollower.ts';
import { JobHistoryStore } from './actions/jobHistoryStore.ts';
import { JobPrices } from './view/jobPrices.ts';
import { JobRequestStore } from './actions/jobRequests.ts';
import { JobSchemas } from './language/jobSchemas.ts';
import { LastInputStore } from './lastInputStore.ts';
import { registerResults } from './results/index.ts';
import { JobDocuments } from './results/jobDocuments.ts';
import type { JobRecords, JobServices } from './jobServices.ts';
import { runCommand } from './run/runCommand.ts';
import { RUN_FAILED } from './run/runJob.ts';
import { registerJobTests } from './tests/index.ts';
import { announceEnded } from './run/announceEnded.ts';
import { registerJobsView } from './view/index.ts';

export { registerCopyAs } from './copyAs/index.ts';
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
  const registered = vscode.Disposable.from(
    follower,
    new JobPrices({ ...base, history }),
    history,
    manifests,
    onStoredConnections(connections, (ids) => {
      void requests.keepOnly(ids);
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
  return Object.assign(registered, { history, lastInputs, documents, requests, follower, manifests });
}

/** Returns the folder of the stored requests. A window without a folder has no storage of its own. */
function requestFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'job-requests').fsPath;
}
