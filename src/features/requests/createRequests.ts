import * as vscode from 'vscode';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { ExchangeFiles } from './history/exchangeFiles.ts';
import { RequestHistoryStore } from './history/requestHistoryStore.ts';
import { registerRequestView } from './history/requestView.ts';
import type { NeighborManifests } from './language/neighborManifests.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';
import { keepResponsesOf, responseFolder } from './history/storageFolder.ts';
import { ResponseDocuments, followEnd } from './responses/responseDocuments.ts';
import { ResponseLenses, responseSelector } from './responses/responseLenses.ts';
import type { RequestShells } from './requestShells.ts';
import type { RouteServices } from './routeServices.ts';
import { ExchangeStore } from './send/exchangeStore.ts';

/** Requests of this window, and what their commands use. */
export interface Requests {
  readonly services: RouteServices;
  readonly manifests: NeighborManifests;
  readonly disposable: vscode.Disposable;
}

/** Registers the language service of HTTP files, the sending of requests, their responses, and their history. */
export function createRequests(base: AccountServices, { responses: shell, view }: RequestShells): Requests {
  const { context, clock, globalState, log } = base;
  const language = registerRouteLanguage(base);
  const exchanges = new ExchangeStore();
  const requests = new RequestHistoryStore(globalState);
  const filesOf = (connectionId: string) => new ExchangeFiles(responseFolder(context, connectionId));
  const responses = new ResponseDocuments({ shell, clock, exchanges, requests, filesOf });
  const services: RouteServices = { ...base, files: language.models, exchanges, requests, filesOf };
  const lenses = new ResponseLenses(exchanges);
  const disposable = vscode.Disposable.from(
    language,
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
    registerRequestView(services, view),
  );
  return { services, manifests: language.manifests, disposable };
}
