import * as vscode from 'vscode';
import { TreeCosts } from '../costs/treeCosts.ts';
import type { Services } from '../services.ts';
import { EndpointDocuments } from './editing/endpointDocuments.ts';
import { registerEndpointCommands } from './endpointCommands.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerEndpointView } from './endpointView.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';
import { registerViewCommands } from './viewCommands.ts';
import { SYNCED_KEYS, ViewOptionsStore } from './viewOptionsStore.ts';

/** Registers the endpoints view, its commands, and the documents of endpoints. */
export function registerEndpoints(services: Services): vscode.Disposable {
  const { context, connections, endpoints } = services;
  context.globalState.setKeysForSync(SYNCED_KEYS);
  const options = new ViewOptionsStore(context.globalState, context.workspaceState, connections);
  const costs = new TreeCosts(services);
  const provider = new EndpointTreeProvider(services, options, costs);
  const documents = new EndpointDocuments(services, async (...edit) => {
    const { saveEdit } = await import('./editing/saveEdit.ts');
    return saveEdit(services, ...edit);
  });
  return vscode.Disposable.from(
    options,
    costs,
    provider,
    documents.register(),
    registerEndpointView(services, provider, options),
    registerEndpointCommands(services, documents),
    registerViewCommands(services, options),
    registerUnhealthyNotice(endpoints),
  );
}
