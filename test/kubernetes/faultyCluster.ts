import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { afterwards, dataDirectory } from '../platform/support.ts';

/** Kinds of requests. */
type Purpose = 'events' | 'list' | 'watch' | 'create' | 'delete' | 'other';

/** Answers a request in place of the cluster. @param forward sends the request to the cluster, and its answer to the caller */
export type Fault = (response: ServerResponse, forward: () => void) => void;

export const refuses =
  (status: number): Fault =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end('{"message":"not now"}');

/** Sends a stream of events, and its end. */
export const streams =
  (...events: readonly object[]): Fault =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  };

/** Sends the beginning of a response, and never its end. */
export const stalls =
  (beginning: string): Fault =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).write(beginning);

/** Opens a way to the API of the cluster on which a test injects faults. `cleanUp` closes it. */
export async function faultyCluster() {
  const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
  const authorization = (await connection.headers?.())?.['Authorization'];
  const asked: Purpose[] = [];
  const faults: Partial<Record<Purpose, Fault>> = {};
  const server = http.createServer((incoming, response) => {
    const purpose = purposeOf(incoming);
    asked.push(purpose);
    const { method, url, headers } = incoming;
    const body = incoming.toArray() as Promise<Buffer[]>;
    const forward = (): void => {
      const options = { ...connection.options, method, path: url, headers: { ...headers, authorization } };
      const request = https.request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on('error', () => response.destroy()).pipe(response);
      });
      response.on('close', () => {
        if (purpose !== 'create') request.destroy();
      });
      request.on('error', () => response.destroy());
      void body.then((chunks) => request.end(Buffer.concat(chunks)));
    };
    (faults[purpose] ?? ((_response, pass) => pass()))(response, forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const kubeconfig = path.join(await dataDirectory(), 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return { kubeconfig, faults, count: (purpose: Purpose) => asked.filter((one) => one === purpose).length };
}

function purposeOf({ method, url = '' }: IncomingMessage): Purpose {
  if (method === 'DELETE' && url.includes('/pods/')) return 'delete';
  if (url.includes('/events')) return 'events';
  if (!new URL(url, 'http://cluster').pathname.endsWith('/pods')) return 'other';
  if (method === 'POST') return 'create';
  return url.includes('watch=true') ? 'watch' : 'list';
}
