import * as vscode from 'vscode';
import { registerAccounts } from '../../vscode/accounts.ts';
import { setContext, type ContextKeys } from '../../vscode/contextKeys.ts';
import type { Log } from '../../vscode/log.ts';
import { showMessage } from '../../vscode/messages.ts';
import { shown } from '../../vscode/text/shownText.ts';
import type { Services } from '../services.ts';
import { ConnectionAccounts, PROVIDER_ID } from './connectionAccounts.ts';
import { connect, registerConnectionCommands } from './connectionCommands.ts';
import { ConnectionStatusBar } from './connectionStatusBar.ts';
import { keepStateOf } from './connectionState.ts';
import type { ConnectionStore } from './connectionStore.ts';
import { notConnected } from './requireConnection.ts';
import { idsOf, onStoredConnections } from './storedConnections.ts';

/** Which platform the extension speaks to, and with which key. */
export function registerConnections(services: Services): vscode.Disposable {
  const { context, log, connections, clock } = services;
  const show = () => {
    setContext('cloudCompute.connection', contextOf(connections));
    setContext('cloudCompute.hasConnections', connections.hosted.length > 0);
  };
  show();
  const accounts = new ConnectionAccounts(connections, () => connect(services));
  void connections.load();
  return vscode.Disposable.from(
    accounts,
    registerAccounts(PROVIDER_ID, 'Cloud Compute', accounts),
    new ConnectionStatusBar(connections, clock),
    connections.onDidChange(show),
    tellOfProblems(log, connections),
    onStoredConnections(connections, (stored) => {
      const storages = [context.globalState, context.workspaceState];
      Promise.all(storages.map((storage) => keepStateOf(idsOf(stored), storage))).catch((error: unknown) =>
        log.warn('What was stored for removed connections could not be deleted', error),
      );
    }),
    registerConnectionCommands(services),
  );
}

/** The value of the context key. Whether the local platform runs has a key of its own. */
function contextOf(connections: ConnectionStore): ContextKeys['cloudCompute.connection'] {
  if (!connections.loaded) return 'loading';
  const code = notConnected(connections)?.code;
  return code === 'signedOut' ? code : (connections.profile?.kind ?? 'none');
}

/** Says once that the secret storage cannot be used, and again only after it could be. */
function tellOfProblems(log: Log, connections: ConnectionStore): vscode.Disposable {
  let told = false;
  return connections.onDidChange(() => {
    const { problem } = connections;
    if (!problem) told = false;
    if (!problem || told) return;
    told = true;
    log.error('The connections could not be read from or written to the secret storage', problem);
    const again = 'Try Again';
    const message = shown`The secret storage of this editor cannot be used (${problem.message}). Cloud Compute works on; connections are kept only until this window closes.`;
    void showMessage('warning', message, again).then((chosen) => (chosen === again ? retry(connections) : undefined));
  });

  async function retry(store: ConnectionStore): Promise<void> {
    told = false;
    await store.retry();
  }
}
