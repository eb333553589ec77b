import { EventSource } from 'eventsource';
import { createClient, type Client } from '../../src/client/client.ts';
import type { Connection } from '../../src/client/connection.ts';
import { openWorkerLogStream } from '../../src/client/workerLogStream.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { EVENTS, startBareServer } from './bareServer.ts';
import { measureInTurns, report } from './compare.ts';

const ROUNDS = 21;

/** Compares the log stream of the client with the package eventsource. */
export async function run(): Promise<void> {
  const { connection, stop } = await startBareServer();
  try {
    const client = createClient({ connection, fetch });
    const contest = {
      bare: () => eventsPerSecond((onLine) => bareStream(connection, onLine)),
      own: () => eventsPerSecond((onLine) => ownStream(client, onLine)),
    };
    // The first rounds are a warm-up.
    await measureInTurns(contest, 2);
    const rates = await measureInTurns(contest, ROUNDS);
    report({ name: 'worker log stream / eventsource', unit: 'events/s', ours: rates.own, alternative: rates.bare });
  } finally {
    await stop();
  }
}

/** Measures the rate from the first line to the last, without the connection time. */
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
    // Parses the event, because the client does so too.
    const { line } = JSON.parse(data as string) as { line?: string };
    if (line !== undefined) onLine();
  });
  return () => stream.close();
}
