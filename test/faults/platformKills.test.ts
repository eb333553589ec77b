import assert from 'node:assert/strict';
import path from 'node:path';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { seed, withSeed } from '../support/seed.ts';
import {
  assertChargedOnce,
  assertRecovered,
  keepEndedUsage,
  submitUntilKilled,
  type Observed,
} from './killedPlatform.ts';
import { faultyEndpoint, kills, launchBuilt, printCounts, readEffects, repeatedIn } from './support.ts';
import { seededRandom } from '../support/seededRandom.ts';

const KILLS = kills(100, 10);
/** One of this number of kills may hit the start of a platform. The others wait for its announcement, however slow the machine is. */
const KILLS_PER_START = 4;
/** Maximum time until a kill, in ms. */
const MAX_LIFETIME_MS = 900;
const CLIENTS = 4;
const API_KEY = 'faults';

describe('Platform under SIGKILL', () => {
  afterEach(cleanUp);

  it(`does not lose, repeat, or overcharge jobs over ${KILLS} kills under load`, async function () {
    this.timeout(KILLS * 6_000 + 60_000);
    await withSeed(() => killUnderLoad(seededRandom(seed)));
  });
});

async function killUnderLoad(random: () => number): Promise<void> {
  const dataDir = await dataDirectory();
  const effects = path.join(await dataDirectory(), 'effects');
  const database = path.join(dataDir, 'platform.sqlite');
  keepEndedUsage(database);
  const args = ['--json', '--data-dir', dataDir, '--api-key', API_KEY];
  const observed: Observed = { accepted: new Set(), seenEnded: new Map() };
  const killedAt: number[] = [];
  const began = Date.now();

  let endpoint: Endpoint | undefined;
  for (let kill = 0; kill < KILLS; kill++) {
    const platform = await launchBuilt(args);
    const load = new AbortController();
    const started = platform.api();
    const work = started.then(async (api) => {
      const used = (endpoint ??= await api.createEndpoint(faultyEndpoint(effects, { workers: { min: 2, max: 3 } })));
      await Promise.all(
        Array.from({ length: CLIENTS }, () => submitUntilKilled(api, used, observed, random, load.signal)),
      );
    });
    if (endpoint === undefined) await eventually('the endpoint exists', () => endpoint !== undefined);
    if (kill % KILLS_PER_START !== 0) await started;
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
  assert.ok(observed.accepted.size > KILLS, `only ${observed.accepted.size} jobs were accepted`);
  await assertRecovered(api, endpoint, observed);
  const charged = await assertChargedOnce(api, endpoint, database, killedAt, async () => {
    last.kill('SIGTERM');
    assert.equal((await last.exit).code, 0);
  });

  const { acknowledged, executed, pids } = await readEffects(effects);
  const twice = [...acknowledged].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], 'results were acknowledged twice');
  assert.ok(before.pids.length > KILLS / 4, 'too few workers ran');
  assert.deepEqual(pids.filter(isAlive), [], 'workers are still alive after the platform ended');
  printCounts('Processes', {
    ...{ jobs: observed.accepted.size, kills: killedAt.length, workers: pids.length, 'charged runs': charged },
    'jobs that ran again': repeatedIn(executed),
    seconds: Math.round((Date.now() - began) / 1_000),
  });
}
