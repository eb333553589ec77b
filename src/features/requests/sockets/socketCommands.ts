import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_SOCKET_MESSAGE_BYTES } from '../../../client/openSocket.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { askForText } from '../../../kit/quickInput.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { findAddress } from '../responses/responseArgument.ts';
import type { RouteServices } from '../routeServices.ts';
import type { Exchange } from '../send/exchange.ts';
import { sendMessage } from './runSocket.ts';

/** Registers the commands of an open WebSocket. */
export function registerSocketCommands(services: RouteServices): vscode.Disposable {
  const { log } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.routes.sendMessage', l10n.t('Could not send the message'), (argument) =>
      askAndSend(services, argument),
    ),
    registerCommand(log, 'cloudCompute.routes.closeSocket', l10n.t('Could not close the connection'), (argument) =>
      openExchange(services, argument).socket?.close(),
    ),
  );
}

async function askAndSend(services: RouteServices, argument: unknown): Promise<void> {
  const exchange = openExchange(services, argument);
  const message = await askForText({
    title: l10n.t('Send Message'),
    prompt: shown`Text to send to “${exchange.request.endpointName}”`,
    value: '',
    ignoreFocusOut: true,
    validate: (text) =>
      Buffer.byteLength(text) > MAX_SOCKET_MESSAGE_BYTES
        ? shown`A message can have at most ${dataSize(MAX_SOCKET_MESSAGE_BYTES)}.`
        : undefined,
  });
  if (message === undefined) return;
  if (!exchange.socket) throw new UserError(l10n.t('the connection is closed'));
  await sendMessage(exchange, message, services.clock.now());
}

/** @throws UserError if the connection is not open */
function openExchange(services: RouteServices, argument: unknown): Exchange {
  const address = findAddress(services, argument);
  const exchange = address && services.exchanges.find(address.connectionId, address.requestId);
  if (!exchange?.socket) throw new UserError(l10n.t('the connection is closed'));
  return exchange;
}
