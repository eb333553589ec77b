import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import type { Connection } from '../../src/client/connection.ts';

/** Number of events per stream. */
export const EVENTS = 40_000;

const job = JSON.stringify({ id: 'j', status: 'COMPLETED', delayTime: 12, executionTime: 340, output: { text: 'hi' } });
const headers = {
  'Content-Type': 'application/json',
  RateLimit: '"minute";r=59;t=60, "hour";r=2999;t=3600',
  'RateLimit-Policy': '"minute";q=60;w=60, "hour";q=3000;w=3600',
};

/** Starts a bare server in a separate thread, so that its work is not measured with the client's. */
export async function startBareServer(): Promise<{ connection: Connection; stop: () => Promise<unknown> }> {
  const server = new Worker(new URL(import.meta.url));
  const [port] = (await once(server, 'message')) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const connection = { baseUrl: origin, restUrl: origin, queueUrl: origin, endpointHost: origin, apiKey: 'the-key' };
  return { connection, stop: () => server.terminate() };
}

/** Answers paths that end in `logs` with events, and other paths with a job. */
function startServer(): Server {
  const start = Date.UTC(2026, 0, 1);
  const events = Array.from({ length: EVENTS }, (_, index) => {
    const ts = new Date(start + index).toISOString();
    const line = `INFO handled request ${index} in ${index % 97} ms`;
    return `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line, ts })}\n\n`;
  }).join('');
  return createServer((incoming, response) => {
    incoming.resume();
    if (incoming.url?.includes('/logs') === true)
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(events);
    else response.writeHead(200, headers).end(job);
  });
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  const server = startServer();
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as AddressInfo).port));
}
