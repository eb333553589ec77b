import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { killUnderLoad } from '../faults/killUnderLoad.ts';
import { kills } from '../faults/support.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { cleanUp, dataDirectory, eventually, repository } from '../platform/support.ts';
import { seed, withSeed } from '../support/seed.ts';
import { buildImage } from './images.ts';
import { onEngines, type TestEngine } from './world.ts';

const KILLS = kills(50, 8);
const IMAGE = 'cloud-compute-test/faulty:1';

onEngines(({ name, running }) => {
  describe('Platform, engine, and containers under SIGKILL', () => {
    afterEach(cleanUp);

    before(async function () {
      if (!running().power) this.skip();
      const worker = await readFile(path.join(repository, 'test/faults/fixtures/worker.mjs'), 'utf8');
      await buildImage(running().api, IMAGE, { files: { '/app/worker.mjs': worker } });
    });

    it(`do not lose, repeat, or overcharge jobs over ${KILLS} kills under load`, async function () {
      this.timeout(KILLS * 15_000 + 120_000);
      const random = seededRandom(seed);
      const engine = running();
      const world = {
        flags: ['--container-engine', engine.address],
        dataDir: await dataDirectory(),
        endpoint: { image: IMAGE, cmd: ['worker.mjs'] },
        ...{ maxPauseMs: 2_500, outlive: true },
        victims: {
          engine: async () => {
            await engine.power?.kill();
            await engine.power?.start();
          },
          container: () => killContainer(engine, random),
        },
        leftovers: () => containersOf(engine, { all: true }),
      };
      await withSeed(() => killUnderLoad(name, KILLS, random, world));
    });
  });
});

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
