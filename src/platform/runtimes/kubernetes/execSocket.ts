import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { EngineError, type EngineConnection } from '../../../machine/engine/engineApi.ts';
import type { Clock } from '../../time/clock.ts';

export interface ExecQuery {
  readonly command: readonly string[];
  /** Name of the container. */
  readonly container: string;
  readonly tty: boolean;
  /** First choice first. */
  readonly protocols: readonly string[];
}

/** Limit for the answer of the cluster, in ms. */
const ANSWER_MS = 20_000;
/** Time without data after which the system probes the connection, in ms. */
const KEEP_ALIVE_MS = 15_000;
/** Maximum size of a message of a cluster, in bytes. Nodes send at most 32 KiB. */
const MAX_MESSAGE = 16 * 1_048_576;
/** Maximum length of the body of a refusal, in characters. */
const MAX_REFUSAL = 65_536;

/**
 * Opens the WebSocket of a program in a pod. Node's `http` would do for the connection, but not for the frames.
 *
 * @param path of the subresource
 * @param clock waits in real time
 * @throws EngineError; the signal's reason
 */
export async function openExec(
  connection: EngineConnection,
  path: string,
  { command, container, tty, protocols }: ExecQuery,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<WebSocket> {
  const { options, tls, name } = connection;
  const query = new URLSearchParams({
    container,
    stdin: 'true',
    stdout: 'true',
    stderr: String(!tty),
    tty: String(tty),
  });
  for (const part of command) query.append('command', part);
  const { host = '', port } = options;
  const authority = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
  const [headers, certificate] = [await connection.headers?.(), await connection.certificate?.()];
  const { WebSocket: Socket, keepAlive } = await import('../../http/webSocket.ts');
  signal?.throwIfAborted();
  const socket = new Socket(`${tls ? 'wss' : 'ws'}://${authority}${path}?${query.toString()}`, [...protocols], {
    ...{ ...options, ...certificate, headers: { ...headers } },
    ...{ followRedirects: false, perMessageDeflate: false, maxPayload: MAX_MESSAGE, handshakeTimeout: ANSWER_MS },
  });
  const opened = Promise.withResolvers<WebSocket>();
  const abort = (): void => socket.terminate();
  signal?.addEventListener('abort', abort, { once: true });
  socket.on('upgrade', (answer) => void answer.socket.setKeepAlive(true, KEEP_ALIVE_MS));
  // Messages can arrive with the answer.
  socket.on('open', () => {
    socket.pause();
    keepAlive(socket, clock);
    opened.resolve(socket);
  });
  socket.on('unexpected-response', (_, answer) => {
    void refusalOf(answer, name).then((error) => {
      opened.reject(error);
      socket.terminate();
    });
  });
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    const { code, message } = cause;
    opened.reject(
      signal?.aborted ? signal.reason : new EngineError(`${name} does not respond: ${message}`, { code, cause }),
    );
  });
  try {
    return await opened.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

async function refusalOf(answer: IncomingMessage, name: string): Promise<EngineError> {
  const { statusCode: status = 0 } = answer;
  let text = '';
  try {
    for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > MAX_REFUSAL) break;
    }
  } catch {
    // The status is enough.
  }
  return new EngineError(messageIn(text) ?? `${name} responded with status ${status}`, { status, body: text });
}

/** Returns the message of the cluster's error. */
function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return text.trim() === '' ? undefined : text.trim();
  }
}
