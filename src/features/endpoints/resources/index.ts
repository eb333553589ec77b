import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { setContext } from '../../../kit/contextKeys.ts';
import { explain } from '../../../kit/errors.ts';
import type { Log } from '../../../kit/log.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { oneLine, shown } from '../../../text/shownText.ts';
import { ShownTree } from '../../../kit/trees.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { followVisibility } from '../../../kit/visibility.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { askAndCreateCredential } from './askAndCreateCredential.ts';
import { askAndDeleteCredential } from './askAndDeleteCredential.ts';
import { GROUPS, isResource } from './resourceNode.ts';
import { ResourceStore } from './resourceStore.ts';
import { ResourceTreeProvider } from './resourceTreeProvider.ts';

const VIEW = 'cloudCompute.resources';

/** Registers the view of registry credentials, templates, network volumes, and public models, with its commands. */
export function registerResources(services: AccountServices): vscode.Disposable {
  const { log, connections, endpoints, clock, liveValues } = services;
  const store = new ResourceStore(connections, clock);
  const provider = new ResourceTreeProvider(store, endpoints);
  const view = new ShownTree(VIEW, { treeDataProvider: provider, showCollapseAll: true });
  const show = () => {
    const { state } = store;
    setContext('cloudCompute.resources', state.kind);
    setContext('cloudCompute.resourcesError', state.kind === 'failed' ? state.error.kind : undefined);
    view.setMessage(state.kind === 'loading' ? l10n.t('Loading…') : '');
  };
  show();
  return vscode.Disposable.from(
    provider,
    view,
    followVisibility(store, view, view.onDidChangeVisibility),
    store.onDidChange(show),
    logFailures(log, store),
    store,
    registerCommand(log, 'cloudCompute.resources.refresh', l10n.t('Could not refresh'), () =>
      withProgress({ title: l10n.t('Refreshing…'), location: { viewId: VIEW } }, () => store.refresh()),
    ),
    registerCommand(log, 'cloudCompute.resources.copyId', l10n.t('Could not copy the ID'), async (node) => {
      if (!isResource(node)) return;
      await vscode.env.clipboard.writeText(oneLine(node.id));
      showStatusBarMessage(shown`$(check) ID copied`, 3_000);
    }),
    registerCommand(
      log,
      'cloudCompute.registries.create',
      l10n.t('Could not add the registry credential'),
      async () => {
        await askAndCreateCredential(store, requireConnection(connections).client);
        // Completion in manifests offers the new credential.
        liveValues.refresh('registries');
      },
    ),
    registerCommand(
      log,
      'cloudCompute.registries.delete',
      l10n.t('Could not delete the registry credential'),
      async (node) => {
        await askAndDeleteCredential(store, requireConnection(connections).client, node);
        liveValues.refresh('registries');
      },
    ),
  );
}

/** Logs each new reason for a failed read, but does not repeat it for each attempt. */
function logFailures(log: Log, store: ResourceStore): { dispose(): void } {
  let before = new Set<string>();
  return store.onDidChange(() => {
    const now = new Set<string>();
    for (const group of GROUPS) {
      const { error } = store.listings[group];
      if (error) now.add(explain(error, l10n.t('Could not read all resources')).text);
    }
    for (const text of now) if (!before.has(text)) log.warn(text);
    before = now;
  });
}
