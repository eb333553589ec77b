import * as vscode from 'vscode';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { ExchangeFiles } from './history/exchangeFiles.ts';
import { RequestHistoryStore } from './history/requestHistoryStore.ts';
import { registerRequestView } from './history/requestView.ts';
import type { HttpModels } from './language/httpModels.ts';
import { keepResponsesOf, responseFolder } from './history/storageFolder.ts';
import { followEnd } from './responses/followEnd.ts';
import { ResponseDocuments } from './responses/responseDocuments.ts';
import { ResponseLenses, responseSelector } from './responses/responseLenses.ts';
import type { RouteServices } from './routeServices.ts';
import { ExchangeStore } from './send/exchangeStore.ts';

/**
 * Registers the sending of requests, their responses, and their history.
 *
 * @param files parsed HTTP files
 */
export function registerExchanges(
  base: AccountServices,
  files: HttpModels,
): vscode.Disposable & { readonly services: RouteServices } {
  const { context, clock, globalState, log } = base;
  const exchanges = new ExchangeStore();
  const requests = new RequestHistoryStore(globalState);
  const filesOf = (connectionId: string) => new ExchangeFiles(responseFolder(context, connectionId));
  const responses = new ResponseDocuments({ clock, exchanges, requests, filesOf });
  const services: RouteServices = { ...base, files, exchanges, requests, filesOf };
  const lenses = new ResponseLenses(exchanges);
  const registered = vscode.Disposable.from(
    exchanges,
    requests,
    responses.register(),
    lenses,
    onStoredConnections(services.connections, (ids) => {
      keepResponsesOf(context, ids).catch((error: unknown) =>
        log.warn('Could not delete the responses of removed connections', error),
      );
    }),
    vscode.languages.registerCodeLensProvider(responseSelector, lenses),
    followEnd(exchanges),
    registerRequestView(services),
  );
  return Object.assign(registered, { services });
}
