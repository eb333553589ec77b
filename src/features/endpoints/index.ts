import * as vscode from 'vscode';
import { setContext } from '../../vscode/contextKeys.ts';
import { explain } from '../../vscode/errors.ts';
import type { Services } from '../services.ts';
import { registerEndpointCommands } from './endpointCommands.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';

/** The sidebar tree of endpoints and their workers. */
export function registerEndpoints(services: Services): vscode.Disposable {
  const { endpoints, connections, localPlatform } = services;
  const provider = new EndpointTreeProvider(endpoints);
  const view = vscode.window.createTreeView('cloudCompute.endpoints', {
    treeDataProvider: provider,
    showCollapseAll: true,
  });

  const watch = () => endpoints.setWatched(view.visible && vscode.window.state.focused);
  const showState = () => {
    const { state } = endpoints;
    setContext('cloudCompute.endpoints', state.kind);
    view.message = messageOf(services);
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
    localPlatform.onDidChange(showState),
    connections.onDidChange(showConnection),
    registerEndpointCommands(services),
    registerUnhealthyNotice(endpoints),
  );
}

/** The line above the tree: only when something is wrong with what is shown below it. */
function messageOf({ endpoints, localPlatform, connections }: Services): string {
  const platform = localPlatform.state;
  if (platform.kind === 'failed' && connections.profile?.kind !== 'hosted')
    return `Local platform: ${platform.message}`;
  const { state } = endpoints;
  if (state.kind === 'loading') return 'Loading…';
  return state.kind === 'failed' ? explain(state.error, 'Could not read the endpoints') : '';
}
