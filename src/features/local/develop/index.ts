import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import { callAfter } from '../../../client/clock.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { WorkerDebugProvider } from './debugProvider.ts';
import { DebugSessions } from './debugSessions.ts';
import { DEBUG_TYPE } from './model/debugConfiguration.ts';
import { controlOf } from '../../../account/localPlatform/platformControl.ts';
import { FORKED_QUIET_MS, QUIET_MS, SavedFiles } from './actions/savedFiles.ts';
import type { ControlClient } from '../../../client/controlClient.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { RestartedEndpoint } from '../../../contract/control/controlWorkers.ts';

/** Time in ms after which the platform has noticed that a worker is no longer held. */
const RELEASE_MS = 1_000;

/** Registers the tools for developing local workers: debugging and restarts on save. */
export function registerDevelop(services: AccountServices): vscode.Disposable {
  const { log, clock, endpoints } = services;
  const sessions = new DebugSessions(log, (endpointId) => {
    void endpoints.refreshOne(endpointId);
    // The platform notices the end of a hold a moment later.
    callAfter(clock, RELEASE_MS, () => void endpoints.refreshOne(endpointId));
  });
  const provider = new WorkerDebugProvider(services, sessions);
  // The editor resolves a configuration with each provider of its type, and each one would hold a worker.
  const offers = { provideDebugConfigurations: () => provider.provideDebugConfigurations() };
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  return vscode.Disposable.from(
    sessions,
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, offers, Dynamic),
    registerRestartOnSave(services),
  );
}

const SETTING = 'restartWorkersOnSave';

/** Restarts the workers of the local platform whose files are saved, created, deleted, or renamed, if the setting is on. */
function registerRestartOnSave(
  services: Pick<AccountServices, 'clock' | 'localPlatform' | 'localPlatformLog' | 'endpoints'>,
): vscode.Disposable {
  const { clock, localPlatform, endpoints } = services;
  const quietMs = (): number =>
    endpoints.endpoints.some(({ endpoint }) => endpoint['x-local']?.preload) ? FORKED_QUIET_MS : QUIET_MS;
  const saved = new SavedFiles(clock, (files) => void restart(services, files), quietMs);
  const add = (...uris: readonly vscode.Uri[]): void => {
    if (!isOn() || !vscode.workspace.isTrusted || localPlatform.state.kind !== 'running') return;
    for (const { scheme, fsPath } of uris) if (scheme === 'file') saved.add(fsPath);
  };
  return vscode.Disposable.from(
    saved,
    vscode.workspace.onDidSaveTextDocument(({ uri }) => add(uri)),
    vscode.workspace.onDidSaveNotebookDocument(({ uri }) => add(uri)),
    vscode.workspace.onDidCreateFiles(({ files }) => add(...files)),
    vscode.workspace.onDidDeleteFiles(({ files }) => add(...files)),
    vscode.workspace.onDidRenameFiles(({ files }) => add(...files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]))),
  );
}

const isOn = (): boolean =>
  vscode.workspace.getConfiguration('cloudCompute.localPlatform').get<boolean>(SETTING, false);

/** Reports the result in the log only, because a save must not open a message. */
async function restart(
  services: Pick<AccountServices, 'clock' | 'localPlatform' | 'localPlatformLog' | 'endpoints'>,
  files: readonly string[],
): Promise<void> {
  const { localPlatformLog: log, endpoints } = services;
  try {
    const { control } = await controlOf(services);
    const restarted = await restartWorkers(control, files);
    for (const endpoint of restarted) log.info(restartWords(endpoint));
    await Promise.all(restarted.filter(({ id }) => endpoints.find(id)).map(({ id }) => endpoints.refreshOne(id)));
  } catch (error) {
    log.warn(l10n.t`The workers could not be restarted: ${(error as Error).message}`);
  }
}

/** Maximum number of files in one request. */
const MAX_FILES = 1_000;

/** Restarts the workers of endpoints whose files have changed. Returns these endpoints. @throws ApiError */
async function restartWorkers(
  control: ControlClient,
  files: readonly string[],
  options: CallOptions = {},
): Promise<readonly RestartedEndpoint[]> {
  const { endpoints } = await control.restartWorkers({ body: { files: files.slice(0, MAX_FILES) } }, options);
  return endpoints;
}

/** Describes the effect of a restart on one endpoint, for the log. */
function restartWords({ name, restarted, finishing }: RestartedEndpoint): string {
  if (restarted + finishing === 0) return l10n.t`${name}: no worker runs, so the next one uses the saved files`;
  if (finishing === 0) return l10n.t`${name}: restarted workers: ${restarted}`;
  return l10n.t`${name}: restarted workers: ${restarted}; workers that finish their jobs first: ${finishing}`;
}
