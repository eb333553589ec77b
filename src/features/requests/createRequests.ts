import * as vscode from 'vscode';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onStoredConnections } from '../../account/connections/storedConnections.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { ExchangeFiles, type Folder } from './history/exchangeFiles.ts';
import { RequestHistoryStore } from './history/requestHistoryStore.ts';
import { registerRequestView } from './history/requestView.ts';
import type { NeighborManifests } from './language/neighborManifests.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';
import { ResponseDocuments, followEnd } from './responses/responseDocuments.ts';
import { ResponseLenses, responseSelector } from './responses/responseLenses.ts';
import type { RequestShells } from './requestShells.ts';
import type { RouteServices } from './routeServices.ts';
import { ExchangeStore } from './send/exchangeStore.ts';
import { idPart } from '../../text/ids.ts';

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

/** Returns the folder with the stored responses of a connection. It is created when the first file is written. */
function responseFolder(context: vscode.ExtensionContext, connectionId: string): Folder {
  const folder = vscode.Uri.joinPath(rootOf(context), idPart(connectionId));
  const at = (name: string) => vscode.Uri.joinPath(folder, name);
  return {
    read: async (name) => orUndefined(vscode.workspace.fs.readFile(at(name))),
    write: async (name, content) => writePrivate(at(name), content),
    remove: async (name) => orUndefined(vscode.workspace.fs.delete(at(name))),
    list: async () => {
      const entries = (await orUndefined(vscode.workspace.fs.readDirectory(folder))) ?? [];
      const stats = entries.map(async ([name]) => {
        const stat = await orUndefined(vscode.workspace.fs.stat(at(name)));
        return stat && { name, size: stat.size, mtime: stat.mtime };
      });
      return (await Promise.all(stats)).filter((stat) => stat !== undefined);
    },
  };
}

/** Writes a file for its user only. VS Code's file system sets no modes. */
async function writePrivate(uri: vscode.Uri, content: Uint8Array): Promise<void> {
  await mkdir(path.dirname(uri.fsPath), { recursive: true, mode: 0o700 });
  await writeFile(uri.fsPath, content, { mode: 0o600 });
}

/** Deletes the stored responses of all connections except these. */
async function keepResponsesOf(context: vscode.ExtensionContext, connectionIds: readonly string[]): Promise<void> {
  const kept = new Set(connectionIds.map(idPart));
  const entries = (await orUndefined(vscode.workspace.fs.readDirectory(rootOf(context)))) ?? [];
  for (const [name] of entries)
    if (!kept.has(name))
      await orUndefined(vscode.workspace.fs.delete(vscode.Uri.joinPath(rootOf(context), name), { recursive: true }));
}

/** The history is global too, so that each workspace shows the same requests and responses. */
function rootOf({ globalStorageUri }: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(globalStorageUri, 'responses');
}

/** Resolves with undefined if the file does not exist or cannot be used. */
async function orUndefined<Value>(action: Thenable<Value>): Promise<Value | undefined> {
  try {
    return await action;
  } catch {
    return undefined;
  }
}
