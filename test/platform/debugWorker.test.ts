import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DebugEvent } from '../../src/contract/control/controlWorkers.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { connectToAdapter, type DebugAdapter } from './debugAdapter.ts';
import { Hold } from './debugHold.ts';
import { connectToInspector, type Inspector } from './inspector.ts';
import { afterwards, type Api, cleanUp, eventually, fixtures, platformForTest, repository } from './support.ts';

const { debugWorker, restartWorkers, setClock } = controlOperations;

describe('debugWorker', () => {
  let api: Api;

  afterEach(cleanUp);

  const start = async (options: Parameters<typeof platformForTest>[0] = {}) => {
    ({ api } = await platformForTest(options));
  };
  const advance = (advanceMs: number) => api.call(setClock, { body: { advanceMs } });
  const inspectorOf = async ({ port = 0 }: DebugEvent): Promise<Inspector> => {
    const inspector = await connectToInspector(port);
    afterwards(() => inspector.close());
    return inspector;
  };

  it('opens the inspector of a running Node.js worker without a restart, and stops it at a breakpoint while a job runs', async () => {
    await start();
    const endpoint = await api.createEndpoint();
    const { id } = await api.worker(endpoint, 'IDLE');
    const before = await api.runSync(endpoint, { do: 'pid' });
    const hold = new Hold(api, endpoint, { workerId: id });
    const ready = await hold.event('ready');
    assert.deepEqual(
      [ready.workerId, ready.language, ready.host, ready.directory],
      [id, 'node', '127.0.0.1', fixtures],
    );
    const inspector = await inspectorOf(ready);
    await inspector.breakAt('worker.mjs', 'value ?? null');
    const job = await api.run(endpoint, { do: 'echo', value: 7 });
    assert.equal(await inspector.paused(), 'echo');
    assert.equal((await api.job(endpoint, job.id)).status, 'IN_PROGRESS');
    await inspector.resume();
    const done = await eventually('the job completes', async () => {
      const { status, output } = await api.job(endpoint, job.id);
      return status === 'COMPLETED' && { output };
    });
    assert.deepEqual(done.output, 7);
    assert.equal((await api.runSync(endpoint, { do: 'pid' })).output, before.output);
  });

  it('shows that the worker is debugged', async () => {
    await start();
    const endpoint = await api.createEndpoint({ workers: { min: 2, max: 2 } });
    const hold = new Hold(api, endpoint);
    const { workerId } = await hold.event('ready');
    const flags = (await api.workers(endpoint)).map(({ id, debugged }) => [id === workerId, debugged]);
    assert.deepEqual(new Set(flags.map(String)), new Set(['true,true', 'false,']));
  });

  it('lifts the execution timeout while it lasts, and applies the rest of it afterward', async () => {
    await start();
    const endpoint = await api.createEndpoint({ timeout: 60_000 });
    await api.worker(endpoint, 'IDLE');
    const job = await api.run(endpoint, { do: 'hang' });
    await api.worker(endpoint, 'RUNNING');
    await advance(50_000);
    const hold = new Hold(api, endpoint);
    await hold.event('ready');
    await advance(3_600_000);
    assert.equal((await api.job(endpoint, job.id)).status, 'IN_PROGRESS');
    await hold.close();
    await eventually(
      'the debugging has ended',
      async () => !(await api.workers(endpoint)).some(({ debugged }) => debugged),
    );
    await advance(9_000);
    assert.equal((await api.job(endpoint, job.id)).status, 'IN_PROGRESS');
    await advance(2_000);
    assert.equal((await api.job(endpoint, job.id)).status, 'TIMED_OUT');
  });

  it('keeps an idle worker, and replaces it once the debugging has ended', async () => {
    await start();
    const workers = { min: 0, max: 1, idleTimeout: 5 };
    const endpoint = await api.createEndpoint({ workers, flashboot: 'FLASHBOOT' });
    const hold = new Hold(api, endpoint);
    const { workerId } = await hold.event('ready');
    await advance(86_400_000);
    assert.deepEqual(
      (await api.workers(endpoint)).map(({ id }) => id),
      [workerId],
    );
    await hold.close();
    await eventually('the worker has ended', async () => (await api.workers(endpoint)).length === 0);
  });

  it('opens the inspector again in each process of the worker', async () => {
    await start();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const hold = new Hold(api, endpoint);
    const first = await hold.event('ready');
    await api.call(restartWorkers, { body: { files: [path.join(fixtures, 'worker.mjs')] } });
    const second = await hold.event('ready', 2);
    assert.equal(second.workerId, first.workerId);
    assert.notEqual(second.port, first.port);
    await (await inspectorOf(second)).breakAt('worker.mjs', 'value ?? null');
  });

  it('reports the end of the worker', async () => {
    await start();
    const endpoint = await api.createEndpoint();
    const hold = new Hold(api, endpoint);
    await hold.event('ready');
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await hold.event('ended');
    await hold.over;
  });

  it('debugs a worker of a load-balanced endpoint, whose time limits do not apply', async () => {
    await start();
    const directory = path.join(repository, 'test/platform/fixtures');
    const endpoint = await api.createEndpoint({
      type: 'LOAD_BALANCER',
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
      image: `process:${directory}`,
      cmd: [process.execPath, 'server.mjs'],
    });
    const hold = new Hold(api, endpoint);
    const ready = await hold.event('ready');
    assert.equal(ready.language, 'node');
    await inspectorOf(ready);
  });

  it('refuses what it cannot debug, with the class of the cause', async () => {
    await start();
    const paused = await api.createEndpoint({ workers: { min: 0, max: 0 } });
    assert.equal((await new Hold(api, paused).event('failed')).problem, 'noWorkers');
    await api.refused(404, debugWorker, { parameters: { endpointId: 'missing' }, body: {} });
    await api.refused(404, debugWorker, { parameters: { endpointId: paused.id }, body: { workerId: 'missing' } });
  });

  describe('of a Python worker', () => {
    const PYTHON = '/usr/bin/python3';
    let directory: string;

    before(async function () {
      const found = await promisify(execFile)(PYTHON, ['-c', 'import debugpy']).catch(() => undefined);
      if (!found) this.skip();
    });

    beforeEach(async () => {
      directory = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-python-'));
      afterwards(() => rm(directory, { recursive: true, force: true }));
      await cp(path.join(fixtures, 'worker.py'), path.join(directory, 'worker.py'));
    });

    const create = (changes: Parameters<Api['createEndpoint']>[0] = {}) =>
      api.createEndpoint({
        image: `process:${directory}`,
        cmd: [PYTHON, '-u', 'worker.py'],
        workers: { min: 1, max: 1 },
        ...changes,
      });
    const adapterOf = async ({ port = 0 }: DebugEvent): Promise<DebugAdapter> => {
      const adapter = await connectToAdapter(port);
      afterwards(() => adapter.close());
      return adapter;
    };

    it('starts it again under debugpy, and stops it at a breakpoint while a job runs', async () => {
      await start();
      const endpoint = await create();
      const { id } = await api.worker(endpoint, 'IDLE');
      const ready = await new Hold(api, endpoint).event('ready');
      assert.deepEqual([ready.workerId, ready.language, ready.directory], [id, 'python', directory]);
      const adapter = await adapterOf(ready);
      await adapter.attach(path.join(directory, 'worker.py'), 'return value');
      const job = await api.run(endpoint, { value: 7 });
      assert.equal(await adapter.stopped(), 'handler');
      assert.equal((await api.job(endpoint, job.id)).status, 'IN_PROGRESS');
      await adapter.resume();
      await eventually('the job completes', async () => (await api.job(endpoint, job.id)).status === 'COMPLETED');
    });

    it('restarts a busy worker only on request, and its job runs again', async () => {
      await start();
      const endpoint = await create();
      const job = await api.run(endpoint, { wait: true });
      await api.worker(endpoint, 'RUNNING');
      const refused = await new Hold(api, endpoint).event('failed');
      assert.equal(refused.problem, 'busy');
      const hold = new Hold(api, endpoint, { restartBusy: true });
      await hold.event('ready');
      await writeFile(path.join(directory, 'go'), '');
      await eventually('the job completes', async () => (await api.job(endpoint, job.id)).status === 'COMPLETED');
    });

    it('reports that debugpy is missing', async () => {
      await start();
      // Without its packages, Python has no debugpy.
      const endpoint = await create({ cmd: [PYTHON, '-u', 'worker.py'], env: { PYTHONPATH: directory } });
      await writeFile(path.join(directory, 'debugpy.py'), 'raise ImportError("missing")\n');
      await api.worker(endpoint, 'IDLE');
      assert.equal((await new Hold(api, endpoint).event('failed')).problem, 'debugpyMissing');
      const given = new Hold(api, endpoint, { debugpy: '/usr/lib/python3/dist-packages/debugpy' });
      assert.equal((await given.event('ready')).language, 'python');
    });
  });
});
