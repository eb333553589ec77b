import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { Lazy } from '../../kit/lazy.ts';
import { onFirstDocument } from '../../kit/openDocuments.ts';
import { ShownTree, TreeShell } from '../../kit/trees.ts';
import { formatted } from '../../text/markdown.ts';
import type { CopyRequest } from '../jobs/index.ts';
import type { RequestVerifier } from '../manifest/model/deployment/verificationTest.ts';
import { registerChatModels } from './chatModels/index.ts';
import type { Requests } from './createRequests.ts';
import { isHttpDocument } from './language/httpFiles.ts';
import { HISTORY_NAME, RESPONSE_SCHEME, type RequestNode } from './requestShells.ts';
import type { RequestFileReader } from './send/readRequest.ts';
import { showError } from '../../kit/errors.ts';
import type { Log } from '../../kit/log.ts';
import type { RouteServices } from './routeServices.ts';
import type { RequestTestTree } from './tests/requestTestTree.ts';

export type { RequestFileReader } from './send/readRequest.ts';

/** Reads and sends the requests that verify deployments. */
export const requestVerifier: RequestVerifier = {
  read: async (...read) => (await loadedVerifier()).read(...read),
  run: async (...run) => (await loadedVerifier()).run(...run),
};

async function loadedVerifier(): Promise<RequestVerifier> {
  const { requestVerifier: verifierOf } = await import('./actions/requestVerifier.ts');
  const { requestFiles, textAt } = await import('./send/readRequest.ts');
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
      import('./send/readRequest.ts'),
      requests.get(),
    ]);
    const { file, context } = await readRequestFile(services, uri);
    return { file, context, files: requestFiles(uri) };
  };
  return Object.assign(registered, { copyRequest, readFile });
}

/** Returns the commands for HTTP files, sent requests, and chat models. */
function requestCommands(base: AccountServices, requests: Lazy<Requests>): CommandTable {
  const services = async () => (await requests.get()).services;
  return {
    'cloudCompute.routes.newFile': {
      failure: l10n.t('Could not create the request file'),
      run: async () => (await import('./language/openRequests.ts')).newRequestFile(base),
    },
    'cloudCompute.routes.open': {
      failure: l10n.t('Could not open the requests'),
      run: async (argument) =>
        (await import('./language/openRequests.ts')).openRequests(base, (await requests.get()).manifests, argument),
    },
    'cloudCompute.routes.send': {
      failure: l10n.t('Could not send the request'),
      run: async (uri, index) => (await import('./send/sendCommands.ts')).sendRequest(await services(), uri, index),
    },
    'cloudCompute.routes.cancel': {
      failure: l10n.t('Could not cancel the request'),
      run: async (row, rows) => (await import('./send/sendCommands.ts')).cancelRequests(await services(), row, rows),
    },
    'cloudCompute.routes.openResponse': {
      failure: l10n.t('Could not open the response'),
      run: async (row) => (await import('./history/requestCommands.ts')).openResponse(await services(), row),
    },
    'cloudCompute.routes.openRequest': {
      failure: l10n.t('Could not open the request'),
      run: async (row) => (await import('./history/requestCommands.ts')).openRequest(await services(), row),
    },
    'cloudCompute.routes.sendAgain': {
      failure: l10n.t('Could not send the request again'),
      run: async (row) => (await import('./history/requestCommands.ts')).sendAgain(await services(), row),
    },
    'cloudCompute.routes.saveBody': {
      failure: l10n.t('Could not save the body'),
      run: async (row) => (await import('./history/requestCommands.ts')).saveBody(await services(), row),
    },
    'cloudCompute.routes.remove': {
      failure: l10n.t('Could not remove the request'),
      run: async (row, rows) =>
        (await import('./history/requestCommands.ts')).removeRequests(await services(), row, rows),
    },
    'cloudCompute.routes.clear': {
      failure: l10n.t('Could not clear the requests'),
      run: async () => (await import('./history/requestCommands.ts')).clearRequests(await services()),
    },
    'cloudCompute.routes.sendMessage': {
      failure: l10n.t('Could not send the message'),
      run: async (row) => (await import('./sockets/runSocket.ts')).askAndSend(await services(), row),
    },
    'cloudCompute.routes.closeSocket': {
      failure: l10n.t('Could not close the connection'),
      run: async (row) => (await import('./sockets/runSocket.ts')).closeSocket(await services(), row),
    },
    'cloudCompute.chatModels.add': {
      failure: l10n.t('Could not use the endpoint as a chat model'),
      run: async (row) => (await import('./chatModels/chatModelCommands.ts')).addChatModels(base, row),
    },
    'cloudCompute.chatModels.remove': {
      failure: l10n.t('Could not remove the chat model'),
      run: async (row) => (await import('./chatModels/chatModelCommands.ts')).removeChatModels(base, row),
    },
  };
}

/** Lists the requests with expectations in the Test Explorer, and sends them to the current connection. */
function registerRequestTests(log: Log, services: () => Promise<RouteServices>): vscode.Disposable {
  const controller = vscode.tests.createTestController('cloudComputeRequests', l10n.t('Cloud Compute Requests'));
  const tree = new Lazy<RequestTestTree>(
    async () => new (await import('./tests/requestTestTree.ts')).RequestTestTree(controller, log),
  );
  controller.resolveHandler = async (item) => {
    if (!item) await (await tree.get()).discover();
  };
  controller.refreshHandler = async () => (await tree.get()).discover();
  const runAll = async (request: vscode.TestRunRequest): Promise<void> => {
    const shown = await tree.get();
    await shown.discover();
    const run = controller.createTestRun(request);
    try {
      const { runRequestTests } = await import('./tests/runRequestTests.ts');
      await runRequestTests(await services(), run, shown.testsOf(request));
    } catch (error) {
      showError(log, error, l10n.t('Could not run the tests'));
    } finally {
      run.end();
    }
  };
  const profile = controller.createRunProfile(l10n.t('Run'), vscode.TestRunProfileKind.Run, runAll, true);
  return vscode.Disposable.from(new vscode.Disposable(() => tree.value?.dispose()), profile, controller);
}
