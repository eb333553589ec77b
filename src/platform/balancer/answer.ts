import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BalancerRefusal } from './refusals.ts';

/**
 * Answers instead of a worker. A body that is still on its way is read to its end: closing on it, or announcing that, would take the answer
 * along where a caller sends all before it reads.
 */
export function answerRefusal(incoming: IncomingMessage, response: ServerResponse, refusal: BalancerRefusal): void {
  if (response.closed) return;
  const { status, body, headers } = refusal;
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
  if (!incoming.complete) incoming.unpipe().resume();
}

/** The same on a connection that asked for an upgrade, which Node leaves to us. */
export function refuseUpgrade(socket: Duplex, { status, body, headers }: BalancerRefusal): void {
  const fields = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers };
  const head = responseHead(status, STATUS_CODES[status] ?? '', Object.entries(fields).flat());
  socket.end(head + body, () => socket.destroy());
}

/** Status line and headers of a connection that is closed after the answer, or is no longer HTTP (101). */
export function responseHead(status: number, message: string, headers: readonly (string | number)[]): string {
  const lines = [`HTTP/1.1 ${status} ${message}`];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    lines.push(`${headers[index] ?? ''}: ${headers[index + 1] ?? ''}`);
  }
  if (status !== 101) lines.push('Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n`;
}
