import type { IncomingMessage } from 'node:http';
import { TERMINAL_QUERY, TerminalEnd, terminalPath, type TerminalSize } from '../contract/control/terminal.ts';
import { parseJson } from '../contract/parsedJson.ts';
import { type ApiError, errorOfFailure } from './apiError.ts';
import { authorizationHeaders } from './connection.ts';
import type { RequestContext } from './context.ts';
import { errorOfAnswer } from './errorAnswer.ts';
import { limitTime } from './timeLimit.ts';

const OPERATION = 'openTerminal';
/** Time limit until the connection opens, in ms. */
const OPEN_MS = 30_000;
/** Maximum size of a message of the platform, in bytes. */
const MAX_MESSAGE_BYTES = 16 * 1_048_576;
/** Maximum size of a refusal, in characters. */
const MAX_REFUSAL = 65_536;

export interface TerminalRequest {
  readonly endpointId: string;
  readonly workerId: string;
  readonly size: TerminalSize;
}

export interface TerminalListener {
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Called once, after the last output. `lost` if the connection ended without an event of the platform. */
  readonly onEnd: (end: TerminalEnd) => void;
}

/** An open terminal in a worker. */
export interface WorkerTerminal {
  readonly write: (data: string | Uint8Array) => void;
  readonly resize: (size: TerminalSize) => void;
  /** Ends the shell and its programs. */
  readonly close: () => void;
}

/**
 * Opens a shell in a worker of a local platform, until the listener is told its end.
 *
 * @param signal ends the terminal at any time
 * @throws ApiError if the platform refuses it or does not answer
 */
export async function openWorkerTerminal(
  context: RequestContext,
  { endpointId, workerId, size }: TerminalRequest,
  listener: TerminalListener,
  signal: AbortSignal,
): Promise<WorkerTerminal> {
  const { connection } = context;
  const query = new URLSearchParams({
    [TERMINAL_QUERY.columns]: String(size.columns),
    [TERMINAL_QUERY.rows]: String(size.rows),
  });
  const path = terminalPath({ endpointId, workerId });
  const url = `${connection.baseUrl}${path}?${query.toString()}`;
  const limit = limitTime(context.clock, { name: OPERATION, row: { method: 'GET', path }, signal, timeout: OPEN_MS });
  const { WebSocket: Socket } = await import('./webSocket.ts');
  const failureOf = (failure: unknown) =>
    errorOfFailure(OPERATION, limit.signal.aborted ? limit.signal.reason : failure, url);
  const opened = Promise.withResolvers<WorkerTerminal>();
  let end: TerminalEnd | undefined;
  let isOpen = false;
  if (limit.signal.aborted) throw failureOf(limit.signal.reason);
  const socket = new Socket(url.replace(/^http/, 'ws'), {
    ...{ headers: authorizationHeaders(connection), followRedirects: false },
    ...{ perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES },
  });
  limit.signal.addEventListener('abort', () => socket.terminate(), { once: true });
  socket.on('open', () => {
    isOpen = true;
    limit.endTime();
    opened.resolve({
      write: (data) => socket.send(typeof data === 'string' ? Buffer.from(data) : data, () => undefined),
      resize: ({ columns, rows }) => socket.send(JSON.stringify({ columns, rows }), () => undefined),
      close: () => socket.terminate(),
    });
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) listener.onOutput(data);
    else end ??= TerminalEnd.safeParse(parseJson(data.toString())).data;
  });
  socket.on('unexpected-response', (_, answer) => {
    void refusalOf(answer).then((error) => {
      opened.reject(error);
      socket.terminate();
    });
  });
  socket.on('error', (error) => opened.reject(failureOf(error)));
  socket.on('close', () => {
    limit.end();
    if (isOpen) listener.onEnd(end ?? { event: 'lost' });
    else opened.reject(failureOf(new Error('the connection was closed')));
  });
  return opened.promise;
}

async function refusalOf(answer: IncomingMessage): Promise<ApiError> {
  let text = '';
  try {
    for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
      if ((text += chunk).length > MAX_REFUSAL) break;
    }
  } catch {
    // The status is enough.
  }
  return errorOfAnswer(OPERATION, { status: answer.statusCode ?? 0, text });
}
