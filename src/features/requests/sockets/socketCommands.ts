import * as l10n from '@vscode/l10n';
import { MAX_SOCKET_MESSAGE_BYTES } from '../../../client/openSocket.ts';
import { askForText } from '../../../kit/quickInput.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { findAddress } from '../responses/responseArgument.ts';
import type { RouteServices } from '../routeServices.ts';
import type { Exchange } from '../send/exchange.ts';
import { sendMessage } from './runSocket.ts';

/** Closes an open WebSocket. */
export function closeSocket(services: RouteServices, argument: unknown): void {
  openExchange(services, argument).socket?.close();
}

/** Asks for a message and sends it over an open WebSocket. */
export async function askAndSend(services: RouteServices, argument: unknown): Promise<void> {
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
