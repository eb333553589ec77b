import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../../../kit/contextKeys.ts';
import { explain } from '../../../kit/explain.ts';
import type { Log } from '../../../kit/log.ts';
import { ShownTree } from '../../../kit/trees.ts';
import { followVisibility } from '../../../kit/visibility.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { GROUPS } from './resourceNode.ts';
import { ResourceStore } from './resourceStore.ts';
import { ResourceTreeProvider } from './resourceTreeProvider.ts';

export const RESOURCES_VIEW = 'cloudCompute.resources';

/** Registers the view of registry credentials, templates, network volumes, and public models. */
export function registerResources(
  services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'endpoints'>,
): vscode.Disposable & { readonly store: ResourceStore } {
  const { log, connections, endpoints, clock } = services;
  const store = new ResourceStore(connections, clock);
  const provider = new ResourceTreeProvider(store, endpoints);
  const view = new ShownTree(RESOURCES_VIEW, { treeDataProvider: provider, showCollapseAll: true });
  const show = () => {
    const { state } = store;
    setContext('cloudCompute.resources', state.kind);
    setContext('cloudCompute.resourcesError', state.kind === 'failed' ? state.error.kind : undefined);
    view.setMessage(state.kind === 'loading' ? l10n.t('Loading…') : '');
  };
  show();
  const registered = vscode.Disposable.from(
    provider,
    view,
    followVisibility(store, view, view.onDidChangeVisibility),
    store.onDidChange(show),
    logFailures(log, store),
    store,
  );
  return Object.assign(registered, { store });
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
