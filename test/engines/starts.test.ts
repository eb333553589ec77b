import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { writeSystemLine } from '../../src/contract/systemLines.ts';
import type { Worker } from '../../src/contract/worker.ts';
import { imageRuntimes } from '../../src/platform/runtimes/imageRuntimes.ts';
import { DEFAULT_CONCURRENT_STARTS } from '../../src/platform/runtimes/runtime.ts';
import { cleanUp, eventually, platformForTest } from '../platform/support.ts';
import { NODE_IMAGE } from './images.ts';
import { STAYS } from './workerSupport.ts';
import { onEngines } from './world.ts';

const WORKERS = 2 * DEFAULT_CONCURRENT_STARTS;

describe('Starts of containers', () => {
  afterEach(cleanUp);

  onEngines(({ running }) => {
    const startPlatform = async (onStart: (delta: 1 | -1) => void = () => undefined) =>
      platformForTest({
        ...{ engine: { containerEngine: running().address }, maxWorkers: WORKERS },
        createRuntime: (options) => {
          const runtime = imageRuntimes(options);
          return {
            ...runtime,
            start: async (...args) => {
              onStart(1);
              return runtime.start(...args).finally(() => onStart(-1));
            },
          };
        },
      });
    const endpointWith = (workers: number) => ({
      ...{ image: NODE_IMAGE, entrypoint: ['/usr/bin/node'], cmd: ['-e', STAYS] },
      workers: { min: workers, max: workers },
    });

    it(`happen for at most ${DEFAULT_CONCURRENT_STARTS} workers of an endpoint at once`, async () => {
      let [starting, started, most] = [0, 0, 0];
      const { api } = await startPlatform((delta) => {
        starting += delta;
        most = Math.max(most, starting);
        if (delta === -1) started++;
      });
      await api.createEndpoint(endpointWith(WORKERS));
      await eventually('all workers are started', () => started === WORKERS);
      assert.equal(most, DEFAULT_CONCURRENT_STARTS);
    });

    it('happen once the engine is back, without the rest of their pause, and later failures count from one', async function () {
      const { power } = running();
      if (!power) this.skip();
      const { api } = await startPlatform();
      // A pause never ends by itself.
      await api.call(controlOperations.setClock, { body: { frozen: true } });
      await power.kill();
      let endpoint: Endpoint;
      let worker: Worker;
      try {
        endpoint = await api.createEndpoint({ ...endpointWith(1), cmd: ['-e', 'process.exit(3)'] });
        worker = await api.worker(endpoint, 'UNHEALTHY');
      } finally {
        await power.start();
      }
      const unhealthy = writeSystemLine({ kind: 'unhealthy', failures: 1, seconds: 1 });
      let failures = 0;
      const lines = await api.logsUntil(endpoint, worker.id, ({ line }) => line === unhealthy && ++failures === 2);
      assert.ok(lines.some(({ line }) => /^container [0-9a-f]{12} started$/.test(line)));
    });
  });
});
