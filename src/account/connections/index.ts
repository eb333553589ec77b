import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerAccounts } from '../../kit/safeErrors.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { setContext, type ContextKeys } from '../../kit/contextKeys.ts';
import type { Log } from '../../kit/log.ts';
import { showMessage } from '../../kit/messages.ts';
import { shown } from '../../text/shownText.ts';
import type { AccountServices } from '../accountServices.ts';
import { ConnectionAccounts, PROVIDER_ID } from './connectionAccounts.ts';
import { ConnectionStatusBar } from './connectionStatusBar.ts';
import { keepStateOf } from '../../kit/keyedState.ts';
import type { ConnectionStore } from './connectionStore.ts';
import { notConnected } from './requireConnection.ts';
import { onStoredConnections } from './storedConnections.ts';

/** Registers the connections: their commands, the status bar item, the context keys, and the Accounts menu. */
export function registerConnections(services: AccountServices): vscode.Disposable {
  const { context, globalState, log, connections, clock, localPlatform } = services;
  const show = () => {
    const kind = contextOf(connections);
    setContext('cloudCompute.connection', kind);
    setContext(
      'cloudCompute.connected',
      kind === 'hosted' || (kind === 'local' && localPlatform.state.kind === 'running'),
    );
    setContext('cloudCompute.callable', kind === 'hosted' || kind === 'local');
    setContext('cloudCompute.hasConnections', connections.hosted.length > 0);
  };
  show();
  const accounts = new ConnectionAccounts(connections, async () => {
    const { connect } = await import('./connectionCommands.ts');
    return connect(services);
  });
  void connections.load();
  return vscode.Disposable.from(
    accounts,
    registerAccounts(PROVIDER_ID, 'Cloud Compute', accounts),
    new ConnectionStatusBar(connections, clock),
    connections.onDidChange(show),
    localPlatform.onDidChange(show),
    showProblems(log, connections),
    onStoredConnections(connections, (ids) => {
      const storages = [globalState, context.workspaceState];
      Promise.all(storages.map((storage) => keepStateOf(ids, storage))).catch((error: unknown) =>
        log.warn('Could not delete the stored state of removed connections', error),
      );
    }),
    registerCommands(log, connectionCommands(services)),
  );
}

/** Returns the value of the context key. A separate key contains the state of the local platform. */
function contextOf(connections: ConnectionStore): ContextKeys['cloudCompute.connection'] {
  if (!connections.loaded) return 'loading';
  const code = notConnected(connections)?.code;
  return code === 'signedOut' ? code : (connections.profile?.kind ?? 'none');
}

/** Shows one message for each failure of the secret storage. */
function showProblems(log: Log, connections: ConnectionStore): vscode.Disposable {
  let shownBefore = false;
  return connections.onDidChange(() => {
    const { problem } = connections;
    if (!problem) shownBefore = false;
    if (!problem || shownBefore) return;
    shownBefore = true;
    log.error('Could not read or write the connections in secret storage', problem);
    const again = l10n.t('Try Again');
    const message = shown`Secret storage failed (${problem.message}). Changes to connections are lost when this window closes.`;
    void showMessage('warning', message, again).then((chosen) => (chosen === again ? retry(connections) : undefined));
  });

  async function retry(store: ConnectionStore): Promise<void> {
    shownBefore = false;
    await store.retry();
  }
}

/** Returns the commands for connections. */
function connectionCommands(services: AccountServices): CommandTable {
  return {
    'cloudCompute.connect': {
      failure: l10n.t('Could not connect'),
      run: async () => (await import('./connectionCommands.ts')).connect(services),
    },
    'cloudCompute.connections.switch': {
      failure: l10n.t('Could not switch the connection'),
      run: async () => (await import('./connectionCommands.ts')).switchConnection(services),
    },
    'cloudCompute.connections.manage': {
      failure: l10n.t('Could not change the connection'),
      run: async (id) => (await import('./connectionCommands.ts')).manage(services, id),
    },
    'cloudCompute.connections.replaceKey': {
      failure: l10n.t('Could not replace the key'),
      run: async (id) => (await import('./connectionCommands.ts')).replaceKey(services, id),
    },
  };
}
