import * as l10n from '@vscode/l10n';
import type { CommandTable } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { Requests } from './createRequests.ts';

/** Returns the commands for HTTP files, sent requests, and chat models. */
export function requestCommands(base: AccountServices, requests: Lazy<Requests>): CommandTable {
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
