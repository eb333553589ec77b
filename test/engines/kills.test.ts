import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import {
  assertChargedOnce,
  assertRecovered,
  keepEndedUsage,
  submitUntilKilled,
  type Observed,
} from '../faults/killedPlatform.ts';
import { launchBuilt, readEffects, scaled } from '../faults/support.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { cleanUp, dataDirectory, eventually, repository, type Api } from '../platform/support.ts';
import { seed, withSeed } from '../support/seed.ts';
import { buildImage } from './images.ts';
import { onEngines, type TestEngine } from './world.ts';

const KILLS = scaled(50, 8);
/** Maximum time until a kill, in ms. A container starts within this time, so some kills hit a start, and some hit running jobs. */
const MAX_PAUSE_MS = 2_500;
const CLIENTS = 3;
const MIN_WORKERS = 2;
const API_KEY = 'faults';
const IMAGE = 'cloud-compute-test/faulty:1';
/** A network volume, which all containers mount. Their workers record their actions there. */
const VOLUME = '/data';

onEngines(({ running }) => {
  describe('Platform, engine, and containers under SIGKILL', () => {
    afterEach(cleanUp);

    before(async function () {
      if (!running().power) this.skip();
      const worker = await readFile(path.join(repository, 'test/faults/fixtures/worker.mjs'), 'utf8');
      await buildImage(running().api, IMAGE, { files: { '/app/worker.mjs': worker } });
    });

    it(`do not lose, repeat, or overcharge jobs over ${KILLS} kills under load`, async function () {
      this.timeout(KILLS * 15_000 + 120_000);
      await withSeed(() => killUnderLoad(running(), seededRandom(seed)));
    });
  });
});

type LaunchedPlatform = Awaited<ReturnType<typeof launchBuilt>>;

async function killUnderLoad(engine: TestEngine, random: () => number): Promise<void> {
  const dataDir = await dataDirectory();
  const args = ['--json', '--data-dir', dataDir, '--api-key', API_KEY, '--container-engine', engine.address];
  const observed: Observed = { accepted: new Set(), seenEnded: new Map() };
  const killed = { platform: 0, engine: 0, container: 0 };
  const database = path.join(dataDir, 'platform.sqlite');
  keepEndedUsage(database);

  let platform = await launchBuilt(args);
  const { endpoint, effects } = await createEndpoint(await platform.api(), dataDir);
  let load = startLoad(platform, endpoint, observed, random);
  for (let kill = 0; kill < KILLS; kill++) {
    await new Promise((resolve) => setTimeout(resolve, random() * MAX_PAUSE_MS));
    const victim = (['platform', 'engine', 'container'] as const)[kill < 3 ? kill : Math.floor(random() * 3)];
    if (victim === 'platform') {
      platform.kill('SIGKILL');
      await platform.exit;
      await load.end();
      platform = await launchBuilt(args);
      load = startLoad(platform, endpoint, observed, random);
    } else if (victim === 'engine') {
      await engine.power?.kill();
      await engine.power?.start();
    } else await killContainer(engine, random);
    killed[victim ?? 'container']++;
  }
  await load.end();

  const api = await platform.api();
  await assertRecovered(api, endpoint, observed);
  const { acknowledged, pids } = await readEffects(effects);
  await assertChargedOnce(api, endpoint, database, [], async () => {
    platform.kill('SIGTERM');
    assert.equal((await platform.exit).code, 0);
  });
  const twice = [...acknowledged].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], 'results were acknowledged twice');
  assert.ok(observed.accepted.size > KILLS, `only ${observed.accepted.size} jobs were accepted`);
  // A kill can hit a container before its program starts.
  assert.ok(pids.length > MIN_WORKERS, `only ${pids.length} workers ran`);
  assert.deepEqual(await containersOf(engine, { all: true }), [], 'containers are left after the platform ended');
}

async function createEndpoint(api: Api, dataDir: string): Promise<{ endpoint: Endpoint; effects: string }> {
  const { id } = await api.call(operations.createNetworkVolume, {
    body: { name: 'effects', size: 10, dataCenter: 'EU-RO-1' },
  });
  const endpoint = await api.createEndpoint({
    image: IMAGE,
    cmd: ['worker.mjs'],
    env: { EFFECTS: `${VOLUME}/effects` },
    mounts: { network: [{ volumeId: id, path: VOLUME }] },
    workers: { min: MIN_WORKERS, max: 3 },
  });
  return { endpoint, effects: path.join(dataDir, 'volumes', id, 'effects') };
}

/** Submits jobs until the platform is killed, or until `end`. */
function startLoad(platform: LaunchedPlatform, endpoint: Endpoint, observed: Observed, random: () => number) {
  const over = new AbortController();
  const submit = (api: Api) => submitUntilKilled(api, endpoint, observed, random, over.signal);
  const work = platform.api().then((api) => Promise.all(Array.from({ length: CLIENTS }, () => submit(api))));
  return {
    end: async (): Promise<void> => {
      over.abort();
      await work.catch((error: unknown) => {
        // A platform that is killed before its announcement does not answer.
        if (error instanceof assert.AssertionError) throw error;
      });
    },
  };
}

/** Returns the IDs of the containers of all platforms. Only this test uses the engine in the meantime. */
async function containersOf({ api }: TestEngine, { all }: { all: boolean }): Promise<string[]> {
  const containers = await api.json<{ Id: string }[]>({ path: '/v1.41/containers/json', query: { all } });
  return containers.map(({ Id }) => Id);
}

/** Kills a random container. */
async function killContainer(engine: TestEngine, random: () => number): Promise<void> {
  await eventually(
    'a container was killed',
    async () => {
      const found = await containersOf(engine, { all: false });
      const id = found[Math.floor(random() * found.length)];
      if (id === undefined) return false;
      // It may have ended in the meantime.
      const request = { method: 'POST', path: `/v1.41/containers/${id}/kill` } as const;
      return engine.api.json(request).then(
        () => true,
        () => false,
      );
    },
    90_000,
  );
}
