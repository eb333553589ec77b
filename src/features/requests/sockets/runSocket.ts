import { isUtf8 } from 'node:buffer';
import * as l10n from '@vscode/l10n';
import type { SocketEnd } from '../../../client/openSocket.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { connectSocket } from '../actions/connectSocket.ts';
import type { ResponseEnd } from '../actions/sendRequest.ts';
import { showResponse } from '../responses/showResponse.ts';
import type { Exchange } from '../send/exchange.ts';
import type { Sending } from '../send/sending.ts';
import { canHaveWorkers, waitObserver } from '../send/waitObserver.ts';
import { closeWords, messagesOf } from './frameLog.ts';

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
export async function sendMessage(exchange: Exchange, message: string | Uint8Array, now: number): Promise<void> {
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
