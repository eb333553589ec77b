import * as vscode from 'vscode';
import { registerFiles } from '../../vscode/documentFiles.ts';
import { onStoredConnections } from '../connections/storedConnections.ts';
import type { Services } from '../services.ts';
import { ENDPOINT_SCHEME } from './editing/endpointAddress.ts';
import { EndpointDocuments } from './editing/endpointDocuments.ts';
import { registerEndpointCommands } from './endpointCommands.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerEndpointView } from './endpointView.ts';
import { migrateFavourites } from './migrateFavourites.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';
import { registerViewCommands } from './viewCommands.ts';
import { SYNCED_KEYS, ViewOptionsStore } from './viewOptionsStore.ts';

/** The sidebar tree of endpoints with their workers and releases, and everything that is done to an endpoint there. */
export function registerEndpoints(services: Services): vscode.Disposable {
  const { context, log, connections, endpoints } = services;
  context.globalState.setKeysForSync(SYNCED_KEYS);
  const options = new ViewOptionsStore(context.globalState, context.workspaceState, connections);
  const provider = new EndpointTreeProvider(services, options);
  const documents = new EndpointDocuments(services, async (...edit) => {
    const { saveEdit } = await import('./editing/saveEdit.ts');
    return saveEdit(services, ...edit);
  });
  return vscode.Disposable.from(
    options,
    onStoredConnections(connections, (stored) => {
      migrateFavourites(context.globalState, options, stored).catch((error: unknown) =>
        log.warn('The favourites could not be migrated', error),
      );
    }),
    provider,
    documents,
    registerFiles(ENDPOINT_SCHEME, documents),
    vscode.languages.registerCodeLensProvider({ scheme: ENDPOINT_SCHEME }, documents),
    registerEndpointView(services, provider, options),
    registerEndpointCommands(services, documents),
    registerViewCommands(services, options),
    registerUnhealthyNotice(endpoints),
  );
}
