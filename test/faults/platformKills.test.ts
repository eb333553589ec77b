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
/** A platform takes some 150 ms to start on an idle machine: some of the kills meet its start and recovery, most its work. */
const LONGEST_LIFE_MS = 900;
const CLIENTS = 4;
const API_KEY = 'faults';
const SECONDS_PER_MONTH = 30 * 86_400;

interface Observed {
  /** Ids of the jobs that were answered 200. */
  readonly accepted: Set<string>;
  /** The answers of jobs that were seen to have ended. */
  readonly seenEnded: Map<string, Job>;
}

describe('Faults: the platform is killed', () => {
  afterEach(cleanUp);

  it(`loses, repeats and overcharges nothing in ${KILLS} kills under load`, async function () {
    this.timeout(KILLS * 6_000 + 60_000);
    const seed = Number(process.env['CLOUD_COMPUTE_FAULTS_SEED'] ?? Date.now() % 1_000_000);
    await killsUnderLoad(seed).catch((error: unknown) => {
      throw new Error(`with CLOUD_COMPUTE_FAULTS_SEED=${seed}: ${(error as Error).message}`, { cause: error });
    });
  });
});

async function killsUnderLoad(seed: number): Promise<void> {
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
    // The first one lives to create the endpoint; after that a kill may meet a platform that is still starting.
    const work = platform.api().then(async (api) => {
      const used = (endpoint ??= await api.createEndpoint(faultyEndpoint(effects, { workers: { min: 2, max: 3 } })));
      await Promise.all(Array.from({ length: CLIENTS }, () => useUntilGone(api, used, observed, random, load.signal)));
    });
    if (endpoint === undefined) await eventually('there is an endpoint', () => endpoint !== undefined);
    await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_LIFE_MS));
    platform.kill('SIGKILL');
    killedAt.push(Date.now());
    await platform.exit;
    load.abort();
    // A platform that was killed before it could announce itself has no answer.
    await work.catch(() => undefined);
  }

  assert.ok(endpoint);
  const last = await launchBuilt(args);
  const api = await last.api();
  const before = await readEffects(effects);
  await recovered(api, endpoint, observed);
  await usageChargedOnce(api, endpoint, path.join(dataDir, 'platform.sqlite'), killedAt, async () => {
    last.kill('SIGTERM');
    assert.equal((await last.exit).code, 0);
  });

  const { acknowledged, pids } = await readEffects(effects);
  const twice = [...acknowledged].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], 'results that were acknowledged twice');
  assert.ok(before.pids.length > KILLS / 4, 'workers ran');
  assert.deepEqual(pids.filter(isAlive), [], 'workers that outlived their platform');
}

/** Submits jobs and reads them, as fast as it is answered, until the platform is gone. */
async function useUntilGone(
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
      // A refusal is a fault; an answer that never comes is what a killed platform gives.
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** Every job that was accepted is there and comes to its end; what had been seen of its end is unchanged. */
async function recovered(api: Api, endpoint: Endpoint, { accepted, seenEnded }: Observed): Promise<void> {
  assert.ok(accepted.size > KILLS, `only ${accepted.size} jobs were accepted`);
  for (const id of accepted) {
    const job = await ended(api, endpoint, id, 120_000);
    assert.equal(job.status, 'COMPLETED', `${id}: ${JSON.stringify(job)}`);
    const seen = seenEnded.get(id);
    if (seen) assert.deepEqual(job, seen, 'a result that had been seen has changed');
  }
}

/** The stretches that are charged do not overlap, do not reach beyond the death of their platform, and add up to the bill. */
async function usageChargedOnce(
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
  const stretches = database.prepare("SELECT * FROM usage WHERE kind = 'serverlessCpu'").all() as unknown as {
    source_id: string;
    started_at: number;
    ended_at: number | null;
    nano_usd_per_month: number;
  }[];
  database.close();
  assert.equal(
    new Set(stretches.map(({ source_id }) => source_id)).size,
    stretches.length,
    'a process is charged twice',
  );
  let nanoUsd = 0;
  for (const { source_id, started_at, ended_at, nano_usd_per_month } of stretches) {
    assert.ok(ended_at !== null && ended_at >= started_at, `the usage of ${source_id} was never closed`);
    const killed = killedAt.find((at) => at >= started_at);
    assert.ok(killed === undefined || ended_at <= killed, `${source_id} is charged beyond the end of its platform`);
    nanoUsd += Math.ceil((ended_at - started_at) / 1000) * (nano_usd_per_month / SECONDS_PER_MONTH);
  }
  const { serverlessCpuAmount } = metadata.totals;
  assert.equal(Math.round(serverlessCpuAmount * 1e9), nanoUsd);
}
