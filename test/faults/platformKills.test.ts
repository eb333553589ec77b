import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { isTerminal, type Job } from '../../src/contract/job.ts';
import { operations } from '../../src/contract/operations.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import type { Api } from '../platform/support.ts';
import { cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { ended, faultyEndpoint, launchBuilt, readEffects, scaled, seededRandom } from './support.ts';

const KILLS = scaled(100, 10);
/** Maximum time until a kill, in ms. A start takes about 150 ms, so some kills hit the start or recovery, and most hit normal work. */
const MAX_LIFETIME_MS = 900;
const CLIENTS = 4;
const API_KEY = 'faults';
const SECONDS_PER_MONTH = 30 * 86_400;

interface Observed {
  /** IDs of the jobs that were accepted with status 200. */
  readonly accepted: Set<string>;
  /** Jobs that had ended when they were read. */
  readonly seenEnded: Map<string, Job>;
}

describe('Platform under SIGKILL', () => {
  afterEach(cleanUp);

  it(`does not lose, repeat, or overcharge jobs over ${KILLS} kills under load`, async function () {
    this.timeout(KILLS * 6_000 + 60_000);
    const seed = Number(process.env['CLOUD_COMPUTE_FAULTS_SEED'] ?? Date.now() % 1_000_000);
    await killUnderLoad(seed).catch((error: unknown) => {
      throw new Error(`with CLOUD_COMPUTE_FAULTS_SEED=${seed}: ${(error as Error).message}`, { cause: error });
    });
  });
});

async function killUnderLoad(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const dataDir = await dataDirectory();
  const effects = path.join(await dataDirectory(), 'effects');
  const args = ['--json', '--data-dir', dataDir, '--api-key', API_KEY];
  const observed: Observed = { accepted: new Set(), seenEnded: new Map() };
  const killedAt: number[] = [];

  let endpoint: Endpoint | undefined;
  for (let kill = 0; kill < KILLS; kill++) {
    const platform = await launchBuilt(args);
    const load = new AbortController();
    // The first platform runs until the endpoint exists. Later platforms may be killed during their start.
    const work = platform.api().then(async (api) => {
      const used = (endpoint ??= await api.createEndpoint(faultyEndpoint(effects, { workers: { min: 2, max: 3 } })));
      await Promise.all(
        Array.from({ length: CLIENTS }, () => submitUntilKilled(api, used, observed, random, load.signal)),
      );
    });
    if (endpoint === undefined) await eventually('the endpoint exists', () => endpoint !== undefined);
    await new Promise((resolve) => setTimeout(resolve, random() * MAX_LIFETIME_MS));
    platform.kill('SIGKILL');
    killedAt.push(Date.now());
    await platform.exit;
    load.abort();
    // A platform that is killed before its announcement does not answer.
    await work.catch(() => undefined);
  }

  assert.ok(endpoint);
  const last = await launchBuilt(args);
  const api = await last.api();
  const before = await readEffects(effects);
  await assertRecovered(api, endpoint, observed);
  await assertChargedOnce(api, endpoint, path.join(dataDir, 'platform.sqlite'), killedAt, async () => {
    last.kill('SIGTERM');
    assert.equal((await last.exit).code, 0);
  });

  const { acknowledged, pids } = await readEffects(effects);
  const twice = [...acknowledged].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], 'results were acknowledged twice');
  assert.ok(before.pids.length > KILLS / 4, 'too few workers ran');
  assert.deepEqual(pids.filter(isAlive), [], 'workers are still alive after the platform ended');
}

/** Submits and reads jobs without a pause until the platform ends. */
async function submitUntilKilled(
  api: Api,
  endpoint: Endpoint,
  { accepted, seenEnded }: Observed,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { id } = await api.run(endpoint, { do: 'echo', value: accepted.size, ms: Math.floor(random() * 15) });
      accepted.add(id);
      const ids = [...accepted];
      const job = await api.job(endpoint, ids[Math.floor(random() * ids.length)] ?? id);
      if (isTerminal(job.status)) seenEnded.set(job.id, job);
    } catch (error) {
      // A refusal is a failure. A missing response is expected, because the platform was killed.
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** Asserts that every accepted job completes, and that results read before a kill are unchanged. */
async function assertRecovered(api: Api, endpoint: Endpoint, { accepted, seenEnded }: Observed): Promise<void> {
  assert.ok(accepted.size > KILLS, `only ${accepted.size} jobs were accepted`);
  for (const id of accepted) {
    const job = await ended(api, endpoint, id, 120_000);
    assert.equal(job.status, 'COMPLETED', `${id}: ${JSON.stringify(job)}`);
    const seen = seenEnded.get(id);
    if (seen) assert.deepEqual(job, seen, 'a result changed after it was read');
  }
}

/** Asserts that each process is charged once, at most until its platform was killed, and that the charges add up to the bill. */
async function assertChargedOnce(
  api: Api,
  { id }: Endpoint,
  databaseFile: string,
  killedAt: readonly number[],
  stop: () => Promise<void>,
): Promise<void> {
  await api.call(operations.deleteEndpoint, { parameters: { id } });
  const { metadata } = await eventually(
    'all usage has ended',
    async () => {
      const first = await api.call(operations.listBilling, { query: { lastN: 2, bucketSize: 'month' } });
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const second = await api.call(operations.listBilling, { query: { lastN: 2, bucketSize: 'month' } });
      return first.metadata.totals.totalAmount === second.metadata.totals.totalAmount && second;
    },
    20_000,
  );
  await stop();

  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const intervals = database.prepare("SELECT * FROM usage WHERE kind = 'serverlessCpu'").all() as unknown as {
    source_id: string;
    started_at: number;
    ended_at: number | null;
    nano_usd_per_month: number;
  }[];
  database.close();
  assert.equal(
    new Set(intervals.map(({ source_id }) => source_id)).size,
    intervals.length,
    'a process is charged twice',
  );
  let nanoUsd = 0;
  for (const { source_id, started_at, ended_at, nano_usd_per_month } of intervals) {
    assert.ok(ended_at !== null && ended_at >= started_at, `the usage of ${source_id} was never closed`);
    const killed = killedAt.find((at) => at >= started_at);
    assert.ok(killed === undefined || ended_at <= killed, `${source_id} is charged after its platform was killed`);
    nanoUsd += Math.ceil((ended_at - started_at) / 1000) * (nano_usd_per_month / SECONDS_PER_MONTH);
  }
  const { serverlessCpuAmount } = metadata.totals;
  assert.equal(Math.round(serverlessCpuAmount * 1e9), nanoUsd);
}
