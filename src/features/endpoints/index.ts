import * as vscode from 'vscode';
import { TreeCosts } from '../../account/prices/treeCosts.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerEndpointCommands } from './endpointCommands.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerEndpointView } from './endpointView.ts';
import { registerResources } from './resources/index.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';
import { registerViewCommands } from './viewCommands.ts';
import { SYNCED_KEYS, ViewOptionsStore } from './viewOptionsStore.ts';

export { askAndScale, SCALE_FAILED } from './askAndScale.ts';

/** Registers the views of endpoints and resources, and their commands. */
export function registerEndpoints(services: AccountServices): vscode.Disposable {
  const { context, connections } = services;
  context.globalState.setKeysForSync(SYNCED_KEYS);
  const options = new ViewOptionsStore(context.globalState, context.workspaceState, connections);
  const costs = new TreeCosts(services);
  const provider = new EndpointTreeProvider(services, options, costs);
  return vscode.Disposable.from(
    options,
    costs,
    provider,
    registerEndpointView(services, provider, options),
    registerEndpointCommands(services),
    registerViewCommands(services, options),
    registerUnhealthyNotice(services),
    registerResources(services),
  );
}
