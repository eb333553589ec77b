import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { Lazy } from '../../kit/lazy.ts';
import { onFirstDocument } from '../../kit/openDocuments.ts';
import { ShownTree, TreeShell } from '../../kit/trees.ts';
import { formatted } from '../../text/markdown.ts';
import type { CopyRequest } from '../jobs/index.ts';
import type { RequestVerifier } from '../manifest/model/deployment/verificationTest.ts';
import { registerChatModels } from './chatModels/index.ts';
import { requestCommands } from './commands.ts';
import type { Requests } from './createRequests.ts';
import { isHttpDocument } from './language/httpFiles.ts';
import { HISTORY_NAME, RESPONSE_SCHEME, type RequestNode } from './requestShells.ts';
import type { RequestFileReader } from './send/readRequest.ts';
import { registerRequestTests } from './tests/requestTests.ts';

export type { RequestFileReader } from './send/readRequest.ts';

/** Reads and sends the requests that verify deployments. */
export const requestVerifier: RequestVerifier = {
  read: async (...read) => (await loadedVerifier()).read(...read),
  run: async (...run) => (await loadedVerifier()).run(...run),
};

async function loadedVerifier(): Promise<RequestVerifier> {
  const { requestVerifier: verifierOf } = await import('./actions/requestVerifier.ts');
  const { requestFiles, textAt } = await import('./send/requestFiles.ts');
  return verifierOf({ readText: textAt, filesBeside: (uri) => requestFiles(vscode.Uri.parse(uri, true)) });
}

/**
 * Registers HTTP files, the requests to endpoints that they contain, and the chat models of endpoints. The code of requests is loaded for
 * the first HTTP file, and for the requests of earlier sessions.
 */
export function registerRequests(
  base: AccountServices,
): vscode.Disposable & { readonly copyRequest: CopyRequest; readonly readFile: RequestFileReader } {
  const { context, log } = base;
  const requests = new Lazy<Requests>(async () =>
    (await import('./createRequests.ts')).createRequests(base, { responses, view: { tree, shown } }),
  );
  const responses = new DocumentShell(
    RESPONSE_SCHEME,
    formatted`This document shows the response to a request and is read-only.`,
    () => requests.get(),
  );
  const tree = new TreeShell<RequestNode>();
  const shown = new ShownTree('cloudCompute.requests', { treeDataProvider: tree, canSelectMany: true });
  const load = () => {
    requests.createSoon((error) => log.error('Could not load the requests', error));
  };
  if (context.globalState.keys().some((key) => key.endsWith(HISTORY_NAME))) load();
  const registered = vscode.Disposable.from(
    responses.register(),
    shown,
    tree,
    onFirstDocument(isHttpDocument, load),
    registerChatModels(base),
    registerRequestTests(log, async () => (await requests.get()).services),
    registerCommands(log, requestCommands(base, requests)),
    new vscode.Disposable(() => {
      requests.value?.disposable.dispose();
    }),
  );
  const copyRequest: CopyRequest = async (uri, index) => {
    const [{ copyRequestAs }, { services }] = await Promise.all([import('./send/sendCommands.ts'), requests.get()]);
    await copyRequestAs(services, uri, index);
  };
  const readFile: RequestFileReader = async (uri) => {
    const [{ readRequestFile }, { requestFiles }, { services }] = await Promise.all([
      import('./send/readRequest.ts'),
      import('./send/requestFiles.ts'),
      requests.get(),
    ]);
    const { file, context } = await readRequestFile(services, uri);
    return { file, context, files: requestFiles(uri) };
  };
  return Object.assign(registered, { copyRequest, readFile });
}
