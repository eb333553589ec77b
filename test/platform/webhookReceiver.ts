import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterwards } from './support.ts';

interface Call {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** Starts a receiver of webhooks, an HTTP server whose responses the test controls. */
export async function receiver(answer: (response: ServerResponse, call: Call) => void) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { method, url, headers } = request;
      const { 'content-type': type, authorization } = headers;
      const call = { method, path: url, type, authorization, body: JSON.parse(text || 'null') as unknown };
      calls.push(call);
      answer(response, call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Responds with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();
