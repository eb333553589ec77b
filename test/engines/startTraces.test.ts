import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { TraceSpan, WorkerStartTrace } from '../../src/contract/control/controlTraces.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, eventually, platformForTest, type Api } from '../platform/support.ts';
import { kindsOf, longestImport, spanOf, spansOf } from '../platform/traces/support.ts';
import { measuredStart } from '../platform/traces/xRay.ts';
import { buildImage } from './images.ts';
import { buildNodeWorker, importPythonWorker, NODE_WORKER_FILES } from './importingWorkers.ts';
import { startRegistry } from './registry.ts';
import { onEngines } from './world.ts';

const NODE_WORKER_IMAGE = 'cloud-compute-test/importing-node:1';
const PYTHON_WORKER_IMAGE = 'cloud-compute-test/importing-python:1';
/** Size of the largest layer in bytes. Random bytes cannot be compressed. */
const LARGE = 8_000_000;

describe('The trace of the start of a container', () => {
  afterEach(cleanUp);

  onEngines(({ name, running }) => {
    let api: Api;

    before(async function () {
      this.timeout(5 * 60_000);
      await buildNodeWorker(running().api, NODE_WORKER_IMAGE);
      await importPythonWorker(running().api, PYTHON_WORKER_IMAGE);
    });
    beforeEach(async () => {
      ({ api } = await platformForTest({ engine: { containerEngine: running().address } }));
    });

    const startOf = ({ id: endpointId }: Endpoint, workerId: string): Promise<WorkerStartTrace> =>
      api.call(controlOperations.getWorkerStart, { parameters: { endpointId, workerId } });
    const bounds = ({ start, end = '' }: TraceSpan): [number, number] => [Date.parse(start), Date.parse(end)];

    it('has the layers of the pull with their times and sizes, the creation, and the loading', async function () {
      this.timeout(120_000);
      const store = await startRegistry();
      const image = `${store.address}/team/worker:1`;
      await buildImage(running().api, image, {
        files: { ...NODE_WORKER_FILES, 'app/weights': randomBytes(LARGE).toString('latin1') },
        instructions: ['COPY files/app/weights /copy', 'CMD ["worker.mjs"]'],
      });
      await store.publish(running().api, image);
      const body = { name: 'puller', ...store.credentials };
      const { id: registry } = await api.call(operations.createRegistry, { body });
      const endpoint = await api.createEndpoint({
        ...{ image, cmd: undefined, registry, workers: { min: 1, max: 1 } },
      });
      const { id } = await api.worker(endpoint, 'IDLE');
      const trace = await startOf(endpoint, id);
      const kinds = kindsOf(trace).filter((kind) => kind !== 'pullingLayer');
      assert.deepEqual(kinds, ['coldStart', 'pulling', 'creating', 'loading']);
      const [pulling, creating, loading] = ['pulling', 'creating', 'loading'].map((kind) =>
        bounds(spanOf(trace, kind)),
      );
      assert.ok(pulling && creating && loading);
      assert.deepEqual([pulling[1], creating[1]], [creating[0], loading[0]]);
      assert.equal(loading[1], Date.parse(trace.readyAt ?? ''));
      const layers = spansOf(trace, 'pullingLayer');
      for (const [from, to] of layers.map(bounds)) assert.ok(pulling[0] <= from && from <= to && to <= pulling[1]);
      // The engine has the layer of `NODE_IMAGE`.
      assert.deepEqual(
        layers.map(({ isPresent = false }) => isPresent),
        [true, false, false],
      );
      const pulled = layers.filter(({ isPresent }) => isPresent !== true);
      assert.ok(pulled.every(({ downloadedAt }) => downloadedAt !== undefined));
      if (name === 'Docker')
        for (const { bytes = 0, extractedFrom } of pulled) assert.ok(bytes > LARGE && extractedFrom !== undefined);
    });

    for (const [language, image, slow] of [
      ['Node.js', NODE_WORKER_IMAGE, 'slow.mjs'],
      ['Python', PYTHON_WORKER_IMAGE, 'slow_module'],
    ] as const)
      it(`has the imports of a measured worker for ${language}, which its log does not contain`, async function () {
        this.timeout(120_000);
        const endpoint = await api.createEndpoint({ image, cmd: undefined, workers: { min: 0, max: 1 } });
        const trace = await measuredStart(api, endpoint);
        assert.equal(longestImport(trace)?.name, slow);
        const loading = spanOf(trace, 'loading');
        for (const span of spansOf(trace, 'importing')) assert.ok(bounds(span)[1] <= bounds(loading)[1]);
        const isLast = ({ line }: { line: string }) => line.includes('its start was measured');
        const lines = (await api.logsUntil(endpoint, trace.workerId, isLast)).map(({ line }) => line);
        assert.ok(lines.includes('a line of the worker'));
        assert.ok(!lines.some((line) => line.includes('import time')));
        await eventually('no container is left', async () => (await api.workers(endpoint)).length === 0);
      });
  });
});
