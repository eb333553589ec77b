import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { EventSource } from 'eventsource';
import { createClient, type Client } from '../../src/client/client.ts';
import { authorizationHeaders, type Connection } from '../../src/client/connection.ts';
import { openWorkerLogStream } from '../../src/client/workerLogStream.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { median } from './load.ts';

const ROUNDS = 11;
const REQUESTS = 2_000;
const CONCURRENCY = 16;
const EVENTS = 40_000;

const address = { endpointId: 'e', jobId: 'j' };
const job = JSON.stringify({ id: 'j', status: 'COMPLETED', delayTime: 12, executionTime: 340, output: { text: 'hi' } });
const headers = {
  'Content-Type': 'application/json',
  RateLimit: '"minute";r=59;t=60, "hour";r=2999;t=3600',
  'RateLimit-Policy': '"minute";q=60;w=60, "hour";q=3000;w=3600',
};

/** What the client costs: beside a bare fetch of the same address, and beside a bare event source, in one run. */
export async function run(): Promise<void> {
  const server = new Worker(new URL(import.meta.url));
  try {
    const [port] = (await once(server, 'message')) as [number];
    const origin = `http://127.0.0.1:${port}`;
    const connection = { baseUrl: origin, restUrl: origin, queueUrl: origin, endpointHost: origin, apiKey: 'the-key' };
    const client = createClient({ connection, fetch });
    await compare('requests', 'calls of a client', 'bare fetch', {
      own: () => requestsPerSecond(() => client.getJobStatus(address)),
      bare: () => requestsPerSecond(() => bareStatus(connection)),
    });
    await compare('events', 'worker log stream', 'bare eventsource', {
      own: () => eventsPerSecond((onLine) => ownStream(client, onLine)),
      bare: () => eventsPerSecond((onLine) => bareStream(connection, onLine)),
    });
  } finally {
    await server.terminate();
  }
}

interface Contest {
  readonly own: () => Promise<number>;
  readonly bare: () => Promise<number>;
}

async function compare(unit: string, ownName: string, bareName: string, { own, bare }: Contest): Promise<void> {
  const rates = { own: [] as number[], bare: [] as number[] };
  // The first round warms both up. Side by side in turns: what else the machine does meets both.
  for (let round = 0; round <= ROUNDS; round++) {
    const [bareRate, ownRate] = [await bare(), await own()];
    if (round === 0) continue;
    rates.bare.push(bareRate);
    rates.own.push(ownRate);
  }
  const ratio = median(rates.own.map((rate, round) => rate / (rates.bare[round] ?? rate)));
  console.log(`  ${ownName.padEnd(20)} ${Math.round(median(rates.own))} ${unit}/s`);
  console.log(`  ${bareName.padEnd(20)} ${Math.round(median(rates.bare))} ${unit}/s`);
  console.log(`  ${'ratio'.padEnd(20)} ${ratio.toFixed(2)}`);
}

async function requestsPerSecond(call: () => Promise<unknown>): Promise<number> {
  let left = REQUESTS;
  const lane = async () => {
    while (left-- > 0) await call();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return REQUESTS / ((performance.now() - start) / 1000);
}

/** The least anybody would write: ask, check, read. */
async function bareStatus(connection: Connection): Promise<unknown> {
  const url = connection.queueUrl + fillPath(operations.getJobStatus.path, address);
  const response = await fetch(url, { headers: authorizationHeaders(connection) });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

/** From the first line to the last: what it takes to connect is not measured. */
async function eventsPerSecond(open: (onLine: () => void) => () => void): Promise<number> {
  const done = Promise.withResolvers<void>();
  let [count, start] = [0, 0];
  const close = open(() => {
    if (count++ === 0) start = performance.now();
    if (count === EVENTS) done.resolve();
  });
  await done.promise;
  const seconds = (performance.now() - start) / 1000;
  close();
  return EVENTS / seconds;
}

function ownStream({ context }: Client, onLine: () => void): () => void {
  const onError = (error: Error) => {
    throw error;
  };
  return openWorkerLogStream(context, { id: 'e', workerId: 'w', onLine, onError });
}

function bareStream({ baseUrl }: Connection, onLine: () => void): () => void {
  const path = fillPath(operations.getWorkerLogs.path, { id: 'e', workerId: 'w' });
  const stream = new EventSource(baseUrl + path);
  stream.addEventListener('message', ({ data }) => {
    // A log line is of use only when it has been read.
    const { line } = JSON.parse(data as string) as { line?: string };
    if (line !== undefined) onLine();
  });
  return () => stream.close();
}

/** Answers every path that ends in `logs` with events, any other with a job. */
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

// The server has a thread of its own: what it does is not to be measured with what calls it.
if (!isMainThread && parentPort) {
  const port = parentPort;
  const server = startServer();
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as AddressInfo).port));
}
