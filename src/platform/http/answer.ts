import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serialized, textParts } from '../domain/largeJson.ts';
import type { Exchange } from './exchange.ts';

/** A response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

export function json(value: unknown, status = 200): Answer {
  const texts = serialized(value);
  const [text] = texts;
  if (typeof text === 'string' && texts.length === 1) return { status, headers: JSON_HEADERS, body: text };
  const length = texts.reduce(
    (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength),
    0,
  );
  const headers = { ...JSON_HEADERS, 'Content-Length': String(length) };
  return { status, headers, body: Readable.from(textParts(texts), { highWaterMark: 1 }) };
}

/** Streams JSON that is produced as the caller reads it. */
export function jsonStream(text: AsyncIterable<string>, status = 200): Answer {
  return { status, headers: JSON_HEADERS, body: Readable.from(text, { highWaterMark: 1 }) };
}

export const NO_CONTENT: Answer = { status: 204 };

/** Streams server-sent events until the caller disconnects. */
export function events(stream: ReadableStream<Uint8Array>): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    },
    // Reads from the stream only when the caller reads.
    body: Readable.fromWeb(stream, { highWaterMark: 0 }),
  };
}

/** Node's error codes for a caller that disconnects. */
const DISCONNECT_CODES = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];

/** Ignores the error of a caller that disconnected. @throws any other error */
function ignoreDisconnect(error: NodeJS.ErrnoException): void {
  if (!DISCONNECT_CODES.includes(error.code ?? '')) throw error;
}

/** Sends the answer until the caller disconnects, which also ends a stream in the body. @throws the error of the stream */
export async function send({ outgoing, method }: Exchange, { status, headers, body }: Answer): Promise<void> {
  if (body instanceof Readable) {
    if (outgoing.closed || method === 'HEAD') body.destroy();
    if (outgoing.closed) return;
    outgoing.writeHead(status, headers);
    if (method === 'HEAD') outgoing.end();
    else await pipeline(body, outgoing).catch(ignoreDisconnect);
    return;
  }
  if (outgoing.closed) return;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body?.byteLength;
  outgoing.writeHead(status, length === undefined ? headers : { ...headers, 'Content-Length': length });
  outgoing.end(body);
}
