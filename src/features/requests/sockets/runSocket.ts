import { isUtf8 } from 'node:buffer';
import * as l10n from '@vscode/l10n';
import {
  openSocket,
  MAX_SOCKET_MESSAGE_BYTES,
  type SocketEnd,
  type SocketListener,
  type SocketOutcome,
  type SocketRequest,
} from '../../../client/openSocket.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import type { ResponseEnd } from '../actions/sendRequest.ts';
import { showResponse } from '../responses/showResponse.ts';
import type { Exchange } from '../send/exchange.ts';
import { canHaveWorkers, waitObserver } from '../send/waitObserver.ts';
import { closeWords, messagesOf } from './frameLog.ts';
import { routeLimitOf } from '../../../client/operationTimes.ts';
import { pauseAfter, untilWorkerReady, type WaitOptions } from '../actions/untilWorkerReady.ts';
import { askForText } from '../../../kit/quickInput.ts';
import { dataSize } from '../../../text/quantities.ts';
import { UserError } from '../../../kit/userError.ts';
import { findAddress } from '../responses/responseArgument.ts';
import type { RouteServices } from '../routeServices.ts';
import type { Client } from '../../../client/client.ts';
import type { SentBody } from '../actions/requestBody.ts';

/** A request that is being sent. */
export interface Sending {
  readonly services: RouteServices;
  readonly client: Client;
  readonly exchange: Exchange;
  readonly body: SentBody;
}

const SWITCHING = 101;

/** Opens a WebSocket, shows its messages, and sends those in the body. Resolves once the connection has ended. */
export async function runSocket({ services, client, exchange, body }: Sending): Promise<void> {
  const { clock, endpoints } = services;
  const { request, origin, id, log } = exchange;
  const elapsed = () => clock.now() - exchange.sentAt;
  const ended = Promise.withResolvers<SocketEnd>();
  const { path, endpointId, endpointType, headers } = request;
  const pairs = headers.map(({ name, value }) => [name, value] as const);
  const title = shown`WebSocket of “${request.endpointName}”`;
  const outcome = await withLateProgress(clock, title, (signal, report) => {
    signal.addEventListener('abort', () => exchange.cancel());
    return connectSocket(
      { endpointId, endpointType, path, headers: pairs },
      {
        onMessage: (data, isBinary) => {
          log?.message(clock.now(), 'received', isBinary ? data : new TextDecoder().decode(data));
          exchange.logged(data.length);
        },
        onEnd: ended.resolve,
      },
      {
        context: client.context,
        signal: exchange.signal,
        timeout: endpoints.find(endpointId)?.endpoint.timeout,
        observer: waitObserver(services, endpointId, report),
        mayRetry: () => canHaveWorkers(services, endpointId),
      },
    );
  });
  const titled = { ...request, id };
  if ('refusal' in outcome) {
    const { status, statusText, headers: answered, workerId, body: received } = outcome.refusal;
    exchange.begin({ status, statusText, headers: headersOf(answered), workerId, firstByteMs: elapsed() });
    exchange.receive(received);
    exchange.end({ kind: 'complete' }, elapsed());
    await showResponse(origin.connectionId, titled, 'response', false);
    return;
  }
  const { socket } = outcome;
  const protocol = socket.protocol === '' ? '' : l10n.t`, protocol ${socket.protocol}`;
  log?.event(clock.now(), `open${protocol}`);
  exchange.socket = socket;
  exchange.begin({
    ...{ status: SWITCHING, statusText: '', headers: headersOf(socket.headers) },
    ...{ workerId: socket.workerId, firstByteMs: elapsed() },
  });
  await showResponse(origin.connectionId, titled, 'log', true);
  // The connection can end before all messages are sent. Its end is in the log then.
  for (const message of firstMessages(body)) await sendMessage(exchange, message, clock.now()).catch(() => undefined);
  const end = await ended.promise;
  log?.event(clock.now(), end.error && !exchange.signal.aborted ? end.error.message : closeWords(end.code, end.reason));
  exchange.end(endOf(end, exchange), elapsed());
}

/** Logs a message and sends it. @throws ApiError if the connection is closed or the message is too large */
async function sendMessage(exchange: Exchange, message: string | Uint8Array, now: number): Promise<void> {
  const { log, socket } = exchange;
  // The answer of the worker can arrive before the message counts as sent.
  log?.message(now, 'sent', message);
  try {
    await socket?.send(message);
  } catch (error) {
    log?.event(now, l10n.t`not sent: ${(error as Error).message}`);
    throw error;
  } finally {
    exchange.logged();
  }
}

function firstMessages(body: Sending['body']): readonly (string | Uint8Array)[] {
  if (body === undefined) return [];
  if (typeof body === 'string') return messagesOf(body);
  return isUtf8(body) ? messagesOf(new TextDecoder().decode(body)) : [body];
}

function endOf({ code, reason, error }: SocketEnd, { signal }: Exchange): ResponseEnd {
  if (signal.aborted) return { kind: 'canceled' };
  if (error || code === 1006) return { kind: 'cut', reason: error?.message ?? closeWords(code, reason) };
  return { kind: 'complete' };
}

function headersOf(headers: Headers): readonly { readonly name: string; readonly value: string }[] {
  return [...headers].map(([name, value]) => ({ name, value }));
}

/**
 * Opens a WebSocket. Tries again while no worker is ready.
 *
 * @throws ApiError if there is no response
 */
function connectSocket(request: SocketRequest, listener: SocketListener, options: WaitOptions): Promise<SocketOutcome> {
  const { context, signal, timeout } = options;
  return untilWorkerReady<SocketOutcome>(options, async () => {
    const result = await openSocket(context, request, listener, { signal, timeout: routeLimitOf(timeout) });
    if ('socket' in result) return { result, pauseMs: undefined };
    const { headers, body } = result.refusal;
    return { result, pauseMs: pauseAfter(context, headers, new TextDecoder().decode(body)) };
  });
}

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
