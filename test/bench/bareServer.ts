import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import type { Connection } from '../../src/client/connection.ts';

/** Number of events per stream. */
export const EVENTS = 40_000;
/** Number of events in the stream of the worker `FLOODING_WORKER`. */
export const FLOOD = 1_000_000;
export const FLOODING_WORKER = 'flood';

const job = JSON.stringify({ id: 'j', status: 'COMPLETED', delayTime: 12, executionTime: 340, output: { text: 'hi' } });
const headers = {
  'Content-Type': 'application/json',
  'Content-Length': job.length,
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

const START = Date.UTC(2026, 0, 1);

/** Returns the events with numbers from `first` (inclusive) to `end` (exclusive). */
function eventsFrom(first: number, end: number): string {
  let text = '';
  for (let index = first; index < end; index++) {
    const ts = new Date(START + index).toISOString();
    const line = `INFO handled request ${index} in ${index % 97} ms`;
    text += `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line, ts })}\n\n`;
  }
  return text;
}

/** Sends the events of a flood, as fast as the reader takes them. */
async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const ended = once(response, 'close');
  for (let first = 0; first < FLOOD && !response.destroyed; first += 500) {
    if (!response.write(eventsFrom(first, first + 500))) await Promise.race([once(response, 'drain'), ended]);
  }
}

/** Answers paths that end in `logs` with events, and other paths with a job. */
function startServer(): Server {
  const events = eventsFrom(0, EVENTS);
  return createServer((incoming, response) => {
    incoming.resume();
    if (incoming.url?.includes(`/${FLOODING_WORKER}/logs`) === true) void flood(response);
    else if (incoming.url?.includes('/logs') === true)
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(events);
    else response.writeHead(200, headers).end(job);
  });
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  const server = startServer();
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as AddressInfo).port));
}
