import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, type Client } from '../../src/client/client.ts';
import type { Connection } from '../../src/client/connection.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Script = (request: Received, response: ServerResponse) => void | Promise<void>;

/** Starts an HTTP server that responds with a script and records requests. Its client repeats calls without a delay. */
export async function startScriptedServer(script: Script) {
  const received: Received[] = [];
  const server = createServer((incoming, response) => {
    void readAll(incoming).then(async (body) => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body };
      received.push(request);
      await script(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection: Connection = {
    baseUrl: origin,
    restUrl: origin,
    queueUrl: `${origin}/queue/v2`,
    endpointHost: `${origin}/endpoints/{endpoint_id}`,
    apiKey: 'the-key',
  };
  const client: Client = createClient({ connection, fetch: globalThis.fetch, random: () => 0 });
  return {
    origin,
    connection,
    client,
    received,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Responds with JSON. */
export function json(response: ServerResponse, status: number, body: unknown, contentType = 'application/json'): void {
  response.writeHead(status, { 'Content-Type': contentType }).end(JSON.stringify(body));
}
