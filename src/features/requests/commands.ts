import * as l10n from '@vscode/l10n';
import type { CommandTable } from '../../kit/commands.ts';
import type { NeighborManifests } from './language/neighborManifests.ts';
import type { RouteServices } from './routeServices.ts';

/** Returns the commands for HTTP files, sent requests, and chat models. */
export function requestCommands(services: RouteServices, manifests: NeighborManifests): CommandTable {
  return {
    'cloudCompute.routes.newFile': {
      failure: l10n.t('Could not create the request file'),
      run: async () => (await import('./language/openRequests.ts')).newRequestFile(services),
    },
    'cloudCompute.routes.open': {
      failure: l10n.t('Could not open the requests'),
      run: async (argument) => (await import('./language/openRequests.ts')).openRequests(services, manifests, argument),
    },
    'cloudCompute.routes.send': {
      failure: l10n.t('Could not send the request'),
      run: async (uri, index) => (await import('./send/sendCommands.ts')).sendRequest(services, uri, index),
    },
    'cloudCompute.routes.cancel': {
      failure: l10n.t('Could not cancel the request'),
      run: async (row, rows) => (await import('./send/sendCommands.ts')).cancelRequests(services, row, rows),
    },
    'cloudCompute.routes.openResponse': {
      failure: l10n.t('Could not open the response'),
      run: async (row) => (await import('./history/requestCommands.ts')).openResponse(services, row),
    },
    'cloudCompute.routes.openRequest': {
      failure: l10n.t('Could not open the request'),
      run: async (row) => (await import('./history/requestCommands.ts')).openRequest(services, row),
    },
    'cloudCompute.routes.sendAgain': {
      failure: l10n.t('Could not send the request again'),
      run: async (row) => (await import('./history/requestCommands.ts')).sendAgain(services, row),
    },
    'cloudCompute.routes.saveBody': {
      failure: l10n.t('Could not save the body'),
      run: async (row) => (await import('./responses/saveBody.ts')).saveBody(services, row),
    },
    'cloudCompute.routes.remove': {
      failure: l10n.t('Could not remove the request'),
      run: async (row, rows) => (await import('./history/requestCommands.ts')).removeRequests(services, row, rows),
    },
    'cloudCompute.routes.clear': {
      failure: l10n.t('Could not clear the requests'),
      run: async () => (await import('./history/requestCommands.ts')).clearRequests(services),
    },
    'cloudCompute.routes.sendMessage': {
      failure: l10n.t('Could not send the message'),
      run: async (row) => (await import('./sockets/socketCommands.ts')).askAndSend(services, row),
    },
    'cloudCompute.routes.closeSocket': {
      failure: l10n.t('Could not close the connection'),
      run: async (row) => (await import('./sockets/socketCommands.ts')).closeSocket(services, row),
    },
    'cloudCompute.chatModels.add': {
      failure: l10n.t('Could not use the endpoint as a chat model'),
      run: async (row) => (await import('./chatModels/chatModelCommands.ts')).addChatModels(services, row),
    },
    'cloudCompute.chatModels.remove': {
      failure: l10n.t('Could not remove the chat model'),
      run: async (row) => (await import('./chatModels/chatModelCommands.ts')).removeChatModels(services, row),
    },
  };
}
