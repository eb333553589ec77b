import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HeaderFields } from '../accounts/rateLimits.ts';
import { badAnswer, type BalancerRefusal } from './refusals.ts';

/**
 * Sends the refusal in place of a worker's response, with the headers in `more`. Reads an unfinished request body to its end: a caller
 * that sends everything before it reads would lose the response if the connection closed early.
 */
export function answerRefusal(
  incoming: IncomingMessage,
  response: ServerResponse,
  refusal: BalancerRefusal,
  more: HeaderFields = {},
): void {
  if (response.closed) return;
  const { status, body, headers } = refusal;
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...more,
    ...headers,
  });
  response.end(body);
  if (!incoming.complete) incoming.unpipe().resume();
}

/** Sends the refusal on the socket of an upgrade request. Node.js creates no response object for such a request. */
export function refuseUpgrade(
  socket: Duplex,
  { status, body, headers }: { status: number } & Pick<BalancerRefusal, 'body' | 'headers'>,
  more: HeaderFields = {},
): void {
  const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const fields = { ...length, ...more, ...headers };
  const head = responseHead(status, STATUS_CODES[status] ?? '', Object.entries(fields).flat());
  socket.write(head);
  socket.end(body, () => socket.destroy());
}

/**
 * Formats the status line and headers for a connection that closes after the response, or that switches protocols (101). Each character
 * of the arguments is one byte, as HTTP parsers return them.
 */
export function responseHead(status: number, message: string, headers: readonly (string | number)[]): Buffer {
  const lines = [`HTTP/1.1 ${status} ${message}`];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    lines.push(`${headers[index] ?? ''}: ${headers[index + 1] ?? ''}`);
  }
  if (status !== 101) lines.push('Connection: close');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** Control characters other than tab. A status line must not contain them (RFC 9112, section 4). */
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/;

/** @throws BalancerRefusal if the worker's status line cannot be forwarded */
export function checkStatusLine(status: number, message: string, { upgraded = false } = {}): void {
  if (!upgraded && (status < 200 || status > 999)) throw badAnswer(`its status is ${status}`);
  if (CONTROLS.test(message)) throw badAnswer('its reason phrase contains control characters');
}
