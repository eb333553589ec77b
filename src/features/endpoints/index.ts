import * as vscode from 'vscode';
import { setContext } from '../../vscode/contextKeys.ts';
import { explain } from '../../vscode/errors.ts';
import type { Services } from '../services.ts';
import { registerEndpointCommands } from './endpointCommands.ts';
import type { EndpointsState } from './endpointStore.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';

/** The sidebar tree of endpoints and their workers. */
export function registerEndpoints(services: Services): vscode.Disposable {
  const { log, endpoints, connections } = services;
  const provider = new EndpointTreeProvider(endpoints);
  const view = vscode.window.createTreeView('cloudCompute.endpoints', {
    treeDataProvider: provider,
    showCollapseAll: true,
  });

  const watch = () => endpoints.setWatched(view.visible && vscode.window.state.focused);
  const showState = () => {
    const { state } = endpoints;
    setContext('cloudCompute.endpoints', state.kind);
    setContext('cloudCompute.endpointsError', state.kind === 'failed' ? state.error.kind : undefined);
    if (state.kind === 'failed') log.warn(explain(state.error, 'Could not read the endpoints'));
    view.message = messageOf(state);
    const unhealthy = endpoints.endpoints.filter(({ workers }) => (workers?.summary.unhealthy ?? 0) > 0).length;
    view.badge =
      unhealthy > 0 ? { value: unhealthy, tooltip: `${unhealthy} endpoints with unhealthy workers` } : undefined;
  };
  const showConnection = () => {
    const { profile } = connections;
    view.description = profile?.name ?? '';
  };
  watch();
  showState();
  showConnection();
  return vscode.Disposable.from(
    provider,
    view,
    view.onDidChangeVisibility(watch),
    vscode.window.onDidChangeWindowState(watch),
    endpoints.onDidChange(showState),
    connections.onDidChange(showConnection),
    registerEndpointCommands(services),
    registerUnhealthyNotice(endpoints),
  );
}

/**
 * The line above the tree: what is wrong with the rows below it. Without rows there is none, because it would take the place
 * of the welcome text, which says why and offers a button.
 */
function messageOf(state: EndpointsState): string {
  if (state.kind === 'loading') return 'Loading…';
  return state.kind === 'failed' && state.endpoints.length > 0 ? explain(state.error, 'This may be out of date') : '';
}
