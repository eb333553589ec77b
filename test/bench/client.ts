import process from 'node:process';
import { createClient } from '../../src/client/client.ts';
import { authorizationHeaders, type Connection } from '../../src/client/connection.ts';
import { loopbackFetch } from '../../src/client/loopbackFetch.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { startBareServer } from './bareServer.ts';
import { measureInTurns, reportServers } from './compare.ts';
import type { Measured } from './startGenerator.ts';

const ROUNDS = 21;
const REQUESTS = 1_000;
const CONCURRENCY = 16;

const address = { endpointId: 'e', jobId: 'j' };
const submission = JSON.stringify({ input: { text: 'hello' } });

/** Compares calls of the client with a bare `fetch` of the same address. */
export async function run(): Promise<void> {
  const { connection, stop } = await startBareServer();
  try {
    const client = createClient({ connection, fetch, loopbackFetch });
    const body = { input: { text: 'hello' } };
    const calls = {
      ownGet: () => client.getJobStatus(address),
      bareGet: () => bareStatus(connection),
      ownPost: () => client.runJob({ endpointId: 'e', body }),
      barePost: () => bareRun(connection),
    };
    const contest = Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, () => measure(call)]),
    ) as Record<keyof typeof calls, () => Promise<Measured>>;
    // The first rounds are a warm-up.
    await measureInTurns(contest, 2);
    const rounds = await measureInTurns(contest, ROUNDS);
    reportServers('GET / bare fetch', rounds.ownGet, rounds.bareGet);
    reportServers('POST / bare fetch', rounds.ownPost, rounds.barePost);
  } finally {
    await stop();
  }
}

/** Measures calls with the processor time of this thread, which the server does not share. */
async function measure(call: () => Promise<unknown>): Promise<Measured> {
  let left = REQUESTS;
  const lane = async () => {
    while (left-- > 0) await call();
  };
  const [start, before] = [performance.now(), process.threadCpuUsage()];
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  const { user, system } = process.threadCpuUsage(before);
  return {
    requestsPerSecond: REQUESTS / ((performance.now() - start) / 1000),
    microseconds: (user + system) / REQUESTS,
  };
}

/** A minimal client for a GET request: `fetch`, a status check, and JSON. */
async function bareStatus(connection: Connection): Promise<unknown> {
  const url = connection.queueUrl + fillPath(operations.getJobStatus.path, address);
  const response = await fetch(url, { headers: authorizationHeaders(connection) });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

/** A minimal client for submitting a job. */
async function bareRun(connection: Connection): Promise<unknown> {
  const url = connection.queueUrl + fillPath(operations.runJob.path, address);
  const headers = { ...authorizationHeaders(connection), 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: submission });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}
