import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../../../kit/contextKeys.ts';
import { showError } from '../../../kit/errors.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Log } from '../../../kit/log.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { DATA_DIRECTORY_VARIABLE } from '../../../contract/launch/dataDirectoryVariable.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import { StatusItem } from '../../../kit/statusBar.ts';
import type { ConnectionStore } from '../../../account/connections/connectionStore.ts';
import type { LocalPlatformStore } from '../../../account/localPlatform/localPlatformStore.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';
import { statusWords } from './localPlatformWords.ts';

/** Registers the local platform: its status bar item, its context key, and its directory for terminals. */
export function registerLocalPlatform(
  services: Pick<AccountServices, 'context' | 'log' | 'connections' | 'localPlatform'>,
): vscode.Disposable {
  const { context, log, localPlatform, connections } = services;
  let before = localPlatform.state.kind;
  setContext('cloudCompute.localPlatform', before);
  return vscode.Disposable.from(
    localPlatform.onDidChange((state) => {
      if (state.kind !== 'running') connections.suspendLocal();
      setContext('cloudCompute.localPlatform', state.kind);
      // The command that starts the platform reports a failed start.
      if (state.kind === 'failed' && before === 'running') showStopped(log, state.message);
      before = state.kind;
    }),
    registerTerminals(context),
    localPlatformStatusBar(localPlatform, connections),
    resumePlatform(services),
  );
}

function showStopped(log: Log, reason: string): void {
  const remedy = { label: l10n.t('Restart'), command: 'cloudCompute.localPlatform.start' } as const;
  showError(
    log,
    new UserError(shown`${reason}. Its endpoints and jobs are saved.`, remedy),
    l10n.t('The local platform stopped'),
  );
}

/** Lets the command line program use the editor's local platform in new terminals and tasks, unless the user has chosen another one. */
function registerTerminals(context: vscode.ExtensionContext): vscode.Disposable {
  const { environmentVariableCollection: variables } = context;
  variables.description = l10n.t('Selects the local platform of the editor for `cloud-compute`');
  const update = (): void => {
    if (process.env[DATA_DIRECTORY_VARIABLE] === undefined)
      variables.replace(DATA_DIRECTORY_VARIABLE, dataDirectory(context));
    else variables.delete(DATA_DIRECTORY_VARIABLE);
  };
  update();
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('cloudCompute.localPlatform.dataDirectory')) update();
  });
}

/**
 * Starts or joins the local platform when the window opens, if it ran until the window was closed or reloaded. If the local platform is
 * the current connection, also joins one that another window or a terminal runs, when the window opens and each time it gets the focus.
 */
function resumePlatform(
  services: Pick<AccountServices, 'context' | 'log' | 'connections' | 'localPlatform'>,
): vscode.Disposable {
  const { context, log, connections, localPlatform } = services;
  const isCurrent = (): boolean => connections.profile?.kind === 'local';
  const resume = async (): Promise<void> => {
    await connections.load();
    if (localPlatform.state.kind !== 'stopped') return;
    const wanted = localPlatform.wasRunning === true || (isCurrent() && (await isRunningIn(dataDirectory(context))));
    if (!wanted) return;
    const announcement = await localPlatform.start();
    if (isCurrent()) await useLocalPlatform(services, announcement);
  };
  const tryToResume = (): void => {
    resume().catch((error: unknown) => log.warn(`Could not resume the local platform: ${(error as Error).message}`));
  };
  tryToResume();
  return vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) tryToResume();
  });
}

async function isRunningIn(directory: string): Promise<boolean> {
  const { isHeld } = await import('./actions/dataDirectory.ts');
  return isHeld(directory);
}

/** Creates a status bar item that shows the state of the local platform. A click lists its actions. */
function localPlatformStatusBar(localPlatform: LocalPlatformStore, connections: ConnectionStore): vscode.Disposable {
  const item = new StatusItem({
    id: 'cloudCompute.localPlatform',
    name: l10n.t('Cloud Compute: Local Platform'),
    alignment: vscode.StatusBarAlignment.Left,
    priority: 9,
    command: 'cloudCompute.localPlatform.manage',
  });
  const render = () => {
    const words = statusWords(localPlatform.state, connections.profile?.kind === 'local');
    if (words) item.show({ ...words, tooltip: { markdown: words.tooltip } });
    else item.hide();
  };
  render();
  return vscode.Disposable.from(item, localPlatform.onDidChange(render), connections.onDidChange(render));
}
