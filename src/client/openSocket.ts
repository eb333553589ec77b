import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { MAX_ROUTE_BYTES, WORKER_ID_HEADER } from '../contract/route.ts';
import { ApiError, errorOfFailure } from './apiError.ts';
import { routeError, type RouteAnswer } from './callRoute.ts';
import type { RequestContext } from './context.ts';
import { routeLimitOf } from './operationTimes.ts';
import { routeHeaders, routeUrl, type RouteAddress, type RouteHeaders } from './routeRequest.ts';
import { limitTime } from './timeLimit.ts';

const OPERATION = 'openSocket';
/** Header with the subprotocols that the caller offers, separated by commas. */
const PROTOCOL_HEADER = 'Sec-WebSocket-Protocol';

/** Maximum size of a message in either direction, in bytes. */
export const MAX_SOCKET_MESSAGE_BYTES = MAX_ROUTE_BYTES;

/** Maximum size of the response that refuses a connection, in bytes. */
const MAX_REFUSAL_BYTES = 1_048_576;

/** A WebSocket of a load-balanced endpoint. */
export interface SocketRequest extends RouteAddress {
  readonly headers?: RouteHeaders | undefined;
}

/** End of a connection. */
export interface SocketEnd {
  /** Close code. 1005: the worker sent none. 1006: the connection ended without a closing handshake. */
  readonly code: number;
  readonly reason: string;
  /** Failure that ended the connection, such as a message over the size limit. */
  readonly error?: ApiError | undefined;
}

export interface SocketListener {
  onMessage(data: Uint8Array, isBinary: boolean): void;
  /** Called for each ping of the worker, which has been answered. */
  onPing?(): void;
  /** Called once, after the last message. */
  onEnd(end: SocketEnd): void;
}

/** An open connection. */
export interface RouteSocket {
  readonly headers: Headers;
  readonly workerId: string | undefined;
  /** Subprotocol that the worker selected, or an empty string. */
  readonly protocol: string;
  /** Resolves once the message has been passed to the system. @throws ApiError */
  send(data: string | Uint8Array): Promise<void>;
  /** Starts the closing handshake. The code is 1000 or from 3000 to 4999. */
  close(code?: number, reason?: string): void;
}

/** Result of an attempt to connect: an open connection, or the HTTP response that refused it. */
export type SocketOutcome = { readonly socket: RouteSocket } | { readonly refusal: RouteAnswer };

interface SocketOptions {
  /** Ends the connection immediately when aborted, at any time. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit until the connection opens, in ms. */
  readonly timeout?: number | undefined;
}

/**
 * Opens a WebSocket to a worker. Redirects are not followed, so the key is sent only to the endpoint. Pings are answered.
 *
 * The connection uses Node's `http`. VS Code applies its proxy settings to `fetch`, and to `http` only with `http.proxySupport`.
 *
 * @throws ApiError if there is no response, or if the request is invalid
 */
export async function openSocket(
  context: RequestContext,
  request: SocketRequest,
  listener: SocketListener,
  { signal, timeout = routeLimitOf() }: SocketOptions = {},
): Promise<SocketOutcome> {
  const url = routeUrl(context, request);
  const headers = routeHeaders(context, request.headers);
  const protocols = (headers.get(PROTOCOL_HEADER) ?? '').split(',').map((name) => name.trim());
  headers.delete(PROTOCOL_HEADER);
  const row = { method: 'GET', path: url.pathname } as const;
  const limit = limitTime(context.clock, { name: OPERATION, row, signal, timeout });
  const { WebSocket: Socket } = await import('./webSocket.ts');
  const address = url.href.replace(/^http/, 'ws');
  let socket: WebSocket;
  try {
    limit.signal.throwIfAborted();
    socket = new Socket(
      address,
      protocols.filter((name) => name !== ''),
      {
        headers: Object.fromEntries(headers),
        followRedirects: false,
        perMessageDeflate: false,
        maxPayload: MAX_SOCKET_MESSAGE_BYTES,
      },
    );
  } catch (failure) {
    limit.end();
    if (failure instanceof ApiError) throw failure;
    throw new ApiError('validation', (failure as Error).message, { operation: OPERATION });
  }
  const failureOf = (failure: unknown) =>
    errorOfFailure(OPERATION, limit.signal.aborted ? limit.signal.reason : failure, url.href);
  limit.signal.addEventListener('abort', () => socket.terminate(), { once: true });
  return new Promise((resolve, reject) => {
    let isOpen = false;
    let failure: Error | undefined;
    const answerHeaders = new Headers();
    socket.on('upgrade', (answer) => copyHeaders(answer, answerHeaders));
    socket.on('open', () => {
      isOpen = true;
      limit.endTime();
      resolve({ socket: socketOf(socket, answerHeaders) });
    });
    socket.on('unexpected-response', (_, answer) => {
      void refusalOf(context, answer).then((refusal) => {
        resolve({ refusal });
        socket.terminate();
      });
    });
    socket.on('message', (data, isBinary) => listener.onMessage(bytesOf(data), isBinary));
    socket.on('ping', () => listener.onPing?.());
    socket.on('error', (error) => {
      failure = error;
      if (!isOpen) reject(failureOf(error));
    });
    socket.on('close', (code, reason) => {
      limit.end();
      if (!isOpen) return;
      const error = limit.signal.aborted || failure ? failureOf(failure) : undefined;
      listener.onEnd({ code, reason: reason.toString(), error });
    });
  });
}

function socketOf(socket: WebSocket, headers: Headers): RouteSocket {
  return {
    headers,
    workerId: headers.get(WORKER_ID_HEADER) ?? undefined,
    protocol: socket.protocol,
    send: (data) =>
      new Promise((resolve, reject) => {
        if (Buffer.byteLength(data) > MAX_SOCKET_MESSAGE_BYTES) {
          const message = `a message can have at most ${MAX_SOCKET_MESSAGE_BYTES / 1_048_576} MiB`;
          reject(new ApiError('validation', message, { operation: OPERATION }));
          return;
        }
        socket.send(data, (error) => {
          if (!error) resolve();
          else reject(new ApiError('network', 'the connection is closed', { operation: OPERATION, cause: error }));
        });
      }),
    close: (code = 1000, reason = '') => socket.close(code, reason),
  };
}

async function refusalOf(context: RequestContext, answer: IncomingMessage): Promise<RouteAnswer> {
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
  const headers = copyHeaders(answer, new Headers());
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if ((size += chunk.length) > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // The response is shown as far as it was received.
  }
  const body = new Uint8Array(Buffer.concat(chunks));
  const error = status < 400 ? undefined : routeError(context, { status, headers }, new TextDecoder().decode(body));
  return { status, statusText, headers, body, workerId: headers.get(WORKER_ID_HEADER) ?? undefined, error };
}

function copyHeaders({ rawHeaders }: IncomingMessage, headers: Headers): Headers {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
