import assert from 'node:assert/strict';
import { StartError } from '../../src/platform/runtimes/runtime.ts';
import { cleanUp, eventually } from '../platform/support.ts';
import { containersOf, openRuntime, startWorker, STAYS, untilPrinted } from './workerSupport.ts';
import { onEngines } from './world.ts';

const OWNER = 'lost engine';

describe('A container engine that is killed', () => {
  afterEach(cleanUp);

  onEngines(({ running }) => {
    beforeEach(function () {
      if (!running().power) this.skip();
    });

    /** Kills the engine, and starts it again after `meanwhile`. */
    async function withoutEngine(meanwhile: () => Promise<unknown>): Promise<void> {
      const { power } = running();
      await power?.kill();
      try {
        await meanwhile();
      } finally {
        await power?.start();
      }
    }

    it('is reported to running workers, which continue, and deliver each line once', async () => {
      const script =
        'let line = 0; setInterval(() => { console.log(`line ${++line}`); if (line === 100) process.exit(4); }, 50)';
      const { running: worker, said } = await startWorker(openRuntime(running(), OWNER), OWNER, script);
      await untilPrinted(said, 'line 5\n');
      await withoutEngine(() => eventually('the loss is reported', () => said.reachable.length === 1));
      assert.equal(typeof said.reachable[0], 'string');
      assert.deepEqual(await worker.exited, { code: 4, signal: null });
      assert.deepEqual([said.reachable.length, said.reachable[1]], [2, undefined]);
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`);
      assert.equal(said.stdout, lines.join(''));
    });

    it('refuses new workers with the reason, and accepts them once it is back', async () => {
      const runtime = openRuntime(running(), OWNER);
      await startWorker(runtime, OWNER, STAYS);
      await withoutEngine(() =>
        assert.rejects(startWorker(runtime, OWNER, STAYS), (error) => {
          assert.ok(error instanceof StartError && error.problem === 'engineUnreachable', String(error));
          assert.match(error.message, /cannot be reached: .*Start it, or correct its address\.$/);
          return true;
        }),
      );
      await startWorker(runtime, OWNER, STAYS);
    });

    it('has no containers of a killed platform left once it is back', async () => {
      const owner = 'killed platform';
      const { running: worker, said } = await startWorker(
        openRuntime(running(), owner),
        owner,
        `console.log('up'); ${STAYS}`,
      );
      await untilPrinted(said, 'up');
      const { running: other } = await startWorker(openRuntime(running(), OWNER), OWNER, STAYS);
      const next = openRuntime(running(), owner);
      await withoutEngine(async () => assert.equal(await next.endOrphans([worker.handle, other.handle]), 0));
      await eventually('the container is removed', async () => (await containersOf(running(), owner)).length === 0);
      await worker.exited;
      assert.equal((await containersOf(running(), OWNER)).length, 1, 'another owner keeps its container');
    });

    it('stops a worker that was asked to stop in the meantime', async () => {
      const { running: worker, said } = await startWorker(
        openRuntime(running(), OWNER),
        OWNER,
        `console.log('up'); ${STAYS}`,
      );
      await untilPrinted(said, 'up');
      let stopping: Promise<void> | undefined;
      await withoutEngine(async () => {
        await eventually('the loss is reported', () => said.reachable.length === 1);
        stopping = worker.stop(60_000);
      });
      await stopping;
      assert.deepEqual(await containersOf(running(), OWNER), []);
    });
  });
});
