import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { TraceSpan, WorkerStartTrace } from '../../src/contract/control/controlTraces.ts';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { registryAuth } from '../../src/platform/runtimes/container/imagePulls.ts';
import { parseImageReference } from '../../src/contract/imageReference.ts';
import { buildImage } from '../engines/images.ts';
import { buildNodeWorker, importPythonWorker, NODE_WORKER_FILES } from '../engines/importingWorkers.ts';
import { cleanUp, eventually, platformForTest, type Api } from '../platform/support.ts';
import { kindsOf, longestImport, spanOf, spansOf } from '../platform/traces/support.ts';
import { measuredStart } from '../platform/traces/xRay.ts';
import { needsCluster, nodeEngines } from './cluster.ts';
import { clusterAccess } from '../../src/platform/runtimes/kubernetes/access/clusterAccess.ts';
import { localAddress } from '../../src/platform/runtimes/kubernetes/localAddress.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { faultyCluster, refuses } from './faultyCluster.ts';

const NODE_WORKER_IMAGE = 'cloud-compute-test/importing-node:1';
const PYTHON_WORKER_IMAGE = 'cloud-compute-test/importing-python:1';

describe('The trace of the start of a pod', function () {
  this.timeout(120_000);
  needsCluster();
  before(async function () {
    this.timeout(5 * 60_000);
    const engines = nodeEngines();
    if (engines.length === 0) this.skip();
    for (const engine of engines) {
      await buildNodeWorker(engine, NODE_WORKER_IMAGE);
      await importPythonWorker(engine, PYTHON_WORKER_IMAGE);
    }
  });
  afterEach(cleanUp);

  const start = (environment?: NodeJS.ProcessEnv, workerHost?: string) =>
    platformForTest({
      ...{ graceMs: 1_000, maxWorkers: 8, ...(environment && { environment }) },
      engine: { runtime: 'kubernetes', kubeNodeImages: true, ...(workerHost && { workerHost }) },
    });
  const createEndpoint = (api: Api, changes: Partial<CreateEndpointBody> = {}): Promise<Endpoint> =>
    api.createEndpoint({ image: NODE_WORKER_IMAGE, cmd: undefined, workers: { min: 1, max: 1 }, ...changes });
  const startOf = (api: Api, { id: endpointId }: Endpoint, workerId: string): Promise<WorkerStartTrace> =>
    api.call(controlOperations.getWorkerStart, { parameters: { endpointId, workerId } });
  const readyStart = async (api: Api, endpoint: Endpoint): Promise<WorkerStartTrace> => {
    const { id } = await eventually('a worker is ready', async () =>
      (await api.workers(endpoint)).find(({ status }) => status === 'IDLE'),
    );
    return startOf(api, endpoint, id);
  };
  /** Returns the address of this machine for pods, which a platform behind a proxy does not know. */
  const addressForPods = async (): Promise<string> => {
    const { connection } = await clusterAccess({ environment: process.env, clock: systemClock });
    return localAddress(connection, new AbortController().signal);
  };
  /** Returns the kinds of spans. A node may report a worker later than the worker itself, so there may be no loading. */
  const partsOf = (trace: WorkerStartTrace): string[] => kindsOf(trace).filter((kind) => kind !== 'loading');
  const end = ({ end: to = '' }: TraceSpan): number => Date.parse(to);

  it('has no pull if the node has the image', async () => {
    const { api } = await start();
    const trace = await readyStart(api, await createEndpoint(api));
    assert.deepEqual(partsOf(trace), ['coldStart', 'creating']);
    assert.ok(trace.readyAt !== undefined);
  });

  it('has the wait for a node', async () => {
    const { api } = await start();
    // A node has room for one such worker.
    const cpu = [{ id: 'cpu3c', vcpuCount: 2 }];
    const blocking = await createEndpoint(api, { cpu, workers: { min: 3, max: 3 } });
    await eventually('the nodes are full', async () => {
      const workers = await api.workers(blocking);
      return workers.length === 3 && workers.every(({ status }) => status === 'IDLE');
    });
    const endpoint = await createEndpoint(api, { cpu });
    await api.worker(endpoint, 'THROTTLED');
    await api.call(operations.deleteEndpoint, { parameters: { id: blocking.id } });
    const trace = await readyStart(api, endpoint);
    assert.deepEqual([...new Set(partsOf(trace))], ['waitingForPlace', 'coldStart', 'creating']);
    assert.match(spanOf(trace, 'waitingForPlace').reason ?? '', /nodes are available/);
  });

  describe('with a registry', () => {
    const [address = '', username = '', password = ''] = (process.env['CLOUD_COMPUTE_TEST_REGISTRY'] ?? '').split(' ');
    const image = `${address}/team/starts:1`;
    before(async function () {
      const [engine] = nodeEngines();
      if (address === '' || !engine) this.skip();
      // The digest differs from that of an earlier run, so no node has the image.
      const files = { ...NODE_WORKER_FILES, 'app/run': String(Date.now()) };
      await buildImage(engine, image, { files, instructions: ['CMD ["worker.mjs"]'] });
      const reference = parseImageReference(image);
      assert.ok(reference);
      const headers = registryAuth(reference, { username, password });
      const path = `/v1.41/images/${address}/team/starts/push`;
      const push = engine.lines<{ error?: string }>({ method: 'POST', path, query: { tag: '1' }, headers });
      for await (const { error } of push) assert.equal(error, undefined);
      await engine.json({ method: 'DELETE', path: `/v1.41/images/${image}` });
    });
    const withRegistry = async (api: Api): Promise<Endpoint> => {
      const { id: registry } = await api.call(operations.createRegistry, {
        body: { name: 'puller', username, password },
      });
      return createEndpoint(api, { image, registry });
    };

    it('tells the pull from the creation of the container', async () => {
      const { api } = await start();
      const trace = await readyStart(api, await withRegistry(api));
      assert.deepEqual(partsOf(trace), ['coldStart', 'creating', 'pulling', 'creating']);
      const [sandbox, container] = spansOf(trace, 'creating');
      const pulling = spanOf(trace, 'pulling');
      assert.ok(sandbox && container);
      assert.deepEqual([end(sandbox), end(pulling)], [Date.parse(pulling.start), Date.parse(container.start)]);
    });

    it('counts the creation as a part of the pull without the permission to watch events', async () => {
      const { kubeconfig, faults, count } = await faultyCluster();
      faults.events = refuses(403);
      const { api } = await start({ ...process.env, KUBECONFIG: kubeconfig }, await addressForPods());
      const trace = await readyStart(api, await withRegistry(api));
      assert.equal(partsOf(trace).at(-1), 'pulling');
      assert.equal(count('events'), 1);
    });
  });

  for (const [language, image, slow] of [
    ['Node.js', NODE_WORKER_IMAGE, 'slow.mjs'],
    ['Python', PYTHON_WORKER_IMAGE, 'slow_module'],
  ] as const)
    it(`has the imports of a measured worker for ${language}, which its log does not contain`, async () => {
      const { api } = await start();
      const endpoint = await createEndpoint(api, { image, workers: { min: 0, max: 1 } });
      const trace = await measuredStart(api, endpoint);
      assert.equal(longestImport(trace)?.name, slow);
      for (const span of spansOf(trace, 'importing')) assert.ok(end(span) <= Date.parse(trace.readyAt ?? ''));
      const isLast = ({ line }: { line: string }) => line.includes('its start was measured');
      const lines = (await api.logsUntil(endpoint, trace.workerId, isLast)).map(({ line }) => line);
      assert.ok(lines.includes('a line of the worker'));
      assert.ok(!lines.some((line) => line.includes('import time')));
    });
});
