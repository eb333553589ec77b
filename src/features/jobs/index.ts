import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { registerFiles } from '../../vscode/documentFiles.ts';
import { showMessage } from '../../vscode/messages.ts';
import { formatted } from '../../vscode/text/markdown.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import { onStoredConnections, type StoredConnections } from '../connections/storedConnections.ts';
import type { Services } from '../services.ts';
import { registerBatches } from './batch/index.ts';
import { chooseEndpoint } from './chooseEndpoint.ts';
import { chooseInput } from './chooseInput.ts';
import { JOB_SCHEME } from './jobAddress.ts';
import { JobDocuments } from './jobDocuments.ts';
import { isJobFile, readJobFrom } from './jobFiles.ts';
import { JobHistoryStore } from './jobHistoryStore.ts';
import { registerJobLanguage } from './language/index.ts';
import { inputWarning } from './model/jobInput.ts';
import { LastInputStore } from './lastInputStore.ts';
import { migrateHistory, migrateInputs } from './migrateJobs.ts';
import { RUN_FAILED, runJob, type JobServices } from './runJob.ts';
import { registerJobsView } from './view/index.ts';
import { interimServices } from './view/interim.ts';
import { registerJobTests } from './tests/index.ts';

/** Registers the commands and documents for jobs of queue endpoints. */
export function registerJobs(base: Services): vscode.Disposable {
  const { context, log } = base;
  const services: JobServices = {
    ...base,
    history: new JobHistoryStore(context.globalState),
    lastInputs: new LastInputStore(context.workspaceState),
    documents: new JobDocuments(base),
  };
  const migrate = async (connections: StoredConnections): Promise<void> => {
    await migrateHistory(context.globalState, services.history, connections);
    await migrateInputs(context.workspaceState, services.lastInputs, services.history, connections);
  };
  return vscode.Disposable.from(
    services.history,
    services.documents,
    registerBatches(base),
    onStoredConnections(services.connections, (connections) => {
      migrate(connections).catch((error: unknown) => log.warn('Could not migrate the job history', error));
    }),
    registerFiles(
      JOB_SCHEME,
      services.documents,
      formatted`This document shows the platform's response and is read-only.`,
    ),
    registerJobLanguage(services),
    registerJobTests(base),
    registerCommand(log, 'cloudCompute.jobs.run', RUN_FAILED, (argument) => run(services, argument)),
    registerJobsView(interimServices(services)),
  );
}

/** @param argument a node of the endpoints view, the address of a job file, or nothing */
async function run(services: JobServices, argument: unknown): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const file = argument instanceof vscode.Uri && isJobFile(argument) ? argument : undefined;
  // Reads the file first, so that an invalid file is reported before any question.
  const given = file && (await readJobFrom(file));
  const usedLast = services.history.recent(profile.id)[0]?.endpointId;
  const snapshot = await chooseEndpoint(services, argument, usedLast);
  if (!snapshot) return;
  const { id, name } = snapshot.endpoint;
  const body = given ?? (await chooseInput(name, services.lastInputs.get(profile.id, id)));
  if (!body) return;
  const warning = profile.kind === 'hosted' ? inputWarning(body) : undefined;
  if (warning !== undefined) void showMessage('warning', warning);
  await runJob(services, { connectionId: profile.id, endpointId: id, endpointName: name, body });
}
