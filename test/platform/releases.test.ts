import assert from 'node:assert/strict';
import path from 'node:path';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { startPlatform } from '../../src/platform/daemon/start.ts';
import { completeLines } from '../support/completeLines.ts';
import { afterwards, Api, cleanUp, dataDirectory, eventually, fastClock, platformForTest } from './support.ts';

describe('Changes of an endpoint', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest({ clock: fastClock }));
  });

  after(cleanUp);

  const change = (endpoint: Endpoint, body: object) =>
    api.call(operations.updateEndpoint, { parameters: { id: endpoint.id }, body });
  const releases = (endpoint: Endpoint) =>
    api.call(operations.listEndpointReleases, { parameters: { id: endpoint.id } });
  const paused = { workers: { min: 0, max: 0 } };

  it('keep omitted fields, and return the whole endpoint', async () => {
    const before = await api.createEndpoint({ ...paused, env: { A: '1' }, timeout: 60_000 });
    const after = await change(before, { name: 'renamed', workers: { max: 2 } });
    assert.deepEqual(after, { ...before, name: 'renamed', workers: { ...before.workers, max: 2 } });
    assert.deepEqual(await api.call(operations.getEndpoint, { parameters: { id: before.id } }), after);
  });

  it('create a release with the differences, newest first, without values of the environment', async () => {
    const endpoint = await api.createEndpoint({ ...paused, env: { KEPT: 'same', TOKEN: 'old-secret' } });
    await change(endpoint, { workers: { max: 1 } });
    await change(endpoint, { env: { KEPT: 'same', TOKEN: 'new-secret', ADDED: 'x' } });
    const listed = await releases(endpoint);
    assert.deepEqual(
      listed.releases.map(({ version, diff }) => [version, diff]),
      [
        [
          3,
          [
            {
              field: 'template.env',
              old: { TOKEN: '********' },
              new: { TOKEN: '********', ADDED: '********' },
            },
          ],
        ],
        [2, [{ field: 'workers.max', old: 0, new: 1 }]],
        [1, []],
      ],
    );
    assert.equal(listed.endpointVersion, 3);
    assert.deepEqual(listed.rollout, { inProgress: false, workersOnLatest: 0, workersTotal: 0, percentOnLatest: 100 });
  });

  it('create no release if they change nothing', async () => {
    const endpoint = await api.createEndpoint(paused);
    await change(endpoint, { name: endpoint.name, env: {} });
    assert.equal((await releases(endpoint)).releases.length, 1);
  });

  it('are listed in pages', async () => {
    const endpoint = await api.createEndpoint(paused);
    for (const name of ['b', 'c']) await change(endpoint, { name });
    const parameters = { id: endpoint.id };
    const first = await api.call(operations.listEndpointReleases, { parameters, query: { limit: 2 } });
    const cursor = first.pagination?.nextCursor ?? '';
    const second = await api.call(operations.listEndpointReleases, { parameters, query: { cursor } });
    const versions = [...first.releases, ...second.releases].map(({ version }) => version);
    assert.deepEqual(versions, [3, 2, 1]);
  });

  it('replace the command as args or part by part, and clear it', async () => {
    const endpoint = await api.createEndpoint({ ...paused, cmd: undefined, args: 'node a.mjs' });
    const command = ({ args, entrypoint, cmd }: Endpoint) => ({ args, entrypoint, cmd });
    const byPart = await change(endpoint, { entrypoint: ['env'] });
    assert.deepEqual(command(byPart), { args: undefined, entrypoint: ['env'], cmd: ['node', 'a.mjs'] });
    const byArgs = await change(endpoint, { args: '{"cmd":["b"]}' });
    assert.deepEqual(command(byArgs), { args: '{"cmd":["b"]}', entrypoint: undefined, cmd: ['b'] });
    const cleared = await change(endpoint, { args: '' });
    assert.deepEqual(command(cleared), { args: undefined, entrypoint: undefined, cmd: undefined });
  });

  it('replace GPU pools with their exclusions, and clear a minimum CUDA version', async () => {
    const gpu = { pools: ['AMPERE_24'], excludedTypes: ['NVIDIA L4'], minCudaVersion: '12.4', count: 2 };
    const endpoint = await api.createEndpoint({ ...paused, cpu: undefined, gpu });
    const cleared = await change(endpoint, { gpu: { minCudaVersion: '' } });
    assert.deepEqual(cleared.gpu?.excludedTypes, ['NVIDIA L4']);
    assert.equal(cleared.gpu.minCudaVersion, null);
    const moved = await change(endpoint, { gpu: { pools: ['ADA_24'] } });
    assert.deepEqual(moved.gpu, { pools: ['ADA_24'], count: 2, allowedCudaVersions: [], minCudaVersion: null });
  });

  it('replace, detach, and switch mounts', async () => {
    const network = [{ volumeId: 'v', path: '/data' }];
    const endpoint = await api.createEndpoint(paused);
    await api.refused(400, operations.updateEndpoint, {
      parameters: { id: endpoint.id },
      body: { mounts: { network, global: [{ volumeId: 'g', path: '/data' }] } },
    });
    assert.deepEqual((await change(endpoint, { mounts: { network: [] } })).mounts, { network: [], global: [] });
  });

  it('name the field of a changed type, a changed hardware family, or a violated rule', async () => {
    const endpoint = await api.createEndpoint(paused);
    const refused = async (status: number, body: object) => {
      const { errors = [] } = await api.refused(status, operations.updateEndpoint, {
        parameters: { id: endpoint.id },
        body,
      });
      return errors.map((error) => error.split(':')[0]);
    };
    assert.deepEqual(await refused(422, { type: 'LOAD_BALANCER' }), ['$.type']);
    assert.deepEqual(await refused(400, { gpu: { pools: ['ADA_24'] } }), ['$.gpu']);
    assert.deepEqual(await refused(400, { workers: { min: 1 } }), ['$.workers.min']);
    assert.deepEqual(await refused(400, { cpu: [{ id: 'cpu9z', vcpuCount: 2 }] }), ['$.cpu[0].id']);
    await api.refused(404, operations.updateEndpoint, { parameters: { id: 'nope' }, body: {} });
    await api.refused(404, operations.listEndpointReleases, { parameters: { id: 'nope' } });
  });

  it('keep workers whose container is unchanged, and assign them to the new version', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const worker = await api.worker(endpoint, 'IDLE');
    await change(endpoint, { workers: { max: 2 }, timeout: 50_000 });
    const [same] = await api.workers(endpoint);
    assert.deepEqual([same?.id, same?.version, same?.isStale], [worker.id, 2, false]);
    assert.equal((await releases(endpoint)).rollout.percentOnLatest, 100);
  });

  it('replace an idle worker of an old container immediately', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const old = await api.worker(endpoint, 'IDLE');
    await change(endpoint, { env: { NEW: '1' } });
    const replacement = await api.worker(endpoint, 'IDLE');
    assert.notEqual(replacement.id, old.id);
    assert.equal(replacement.version, 2);
  });

  it('let a busy worker of an old container finish its job as stale, without another job', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const old = await api.worker(endpoint, 'IDLE');
    const running = await api.run(endpoint, { do: 'hang' });
    await api.jobWithStatus(endpoint, running.id, 'IN_PROGRESS');
    await change(endpoint, { env: { NEW: '1' } });
    const waiting = await api.run(endpoint, { do: 'echo', value: 1 });
    const [stale] = await api.workers(endpoint);
    assert.deepEqual([stale?.id, stale?.isStale, stale?.status], [old.id, true, 'RUNNING']);
    assert.deepEqual((await releases(endpoint)).rollout, {
      ...{ inProgress: true, workersOnLatest: 0, workersTotal: 1, percentOnLatest: 0 },
    });
    await api.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: running.id } });
    const done = await api.jobWithStatus(endpoint, waiting.id, 'COMPLETED');
    assert.notEqual(done.workerId, old.id);
    assert.equal((await releases(endpoint)).rollout.inProgress, false);
  });

  it('are kept over a restart', async () => {
    const dataDir = await dataDirectory();
    const first = await startPlatform({ dataDir, graceMs: 500 });
    api = new Api(first.announcement);
    const endpoint = await api.createEndpoint(paused);
    const changed = await change(endpoint, { name: 'second' });
    const { releases: listed } = await releases(endpoint);
    await first.close();
    const second = await startPlatform({ dataDir, graceMs: 500 });
    afterwards(() => second.close());
    api = new Api(second.announcement);
    assert.deepEqual((await releases(endpoint)).releases, listed);
    assert.equal((await api.call(operations.getEndpoint, { parameters: { id: endpoint.id } })).name, changed.name);
  });
});

describe('Workers beyond the limit of the machine', () => {
  afterEach(cleanUp);

  it('wait as THROTTLED until capacity is free', async () => {
    const { api } = await platformForTest({ clock: fastClock, maxWorkers: 1 });
    const first = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(first, 'IDLE');
    const second = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const waiting = await api.worker(second, 'THROTTLED');
    assert.equal(waiting.uptimeSeconds, null);
    const parameters = { endpointId: second.id };
    const { workers } = await api.call(operations.getEndpointHealth, { parameters });
    assert.equal(workers.throttled, 1);
    const logs = await api.logsUntil(second, waiting.id, ({ line }) => line.includes('waiting for a free slot'));
    assert.match(logs.at(-1)?.line ?? '', /its maximum number of workers \(1\)/);
    await api.call(operations.deleteEndpoint, { parameters: { id: first.id } });
    assert.equal((await api.worker(second, 'IDLE')).id, waiting.id);
  });

  it('count as throttled before they are created', async () => {
    const { api } = await platformForTest({ clock: fastClock, maxWorkers: 1 });
    const endpoint = await api.createEndpoint({ workers: { min: 200, max: 200 } });
    const parameters = { id: endpoint.id };
    const list = await eventually('one worker runs and the others wait', async () => {
      const { workers, summary } = await api.call(operations.listEndpointWorkers, { parameters });
      return summary.idle === 1 && workers.length > 50 && { workers, summary };
    });
    assert.deepEqual(list.summary, { running: 0, idle: 1, initializing: 0, throttled: 199, unhealthy: 0, total: 200 });
    assert.ok(list.workers.length < 100, `${list.workers.length} workers are listed`);
    const health = await api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } });
    assert.equal(health.workers.throttled, 199);
    await api.call(operations.updateEndpoint, { parameters, body: { workers: { min: 1, max: 1 } } });
    await eventually('one worker remains', async () => {
      const { summary } = await api.call(operations.listEndpointWorkers, { parameters });
      return summary.total === 1 && summary.idle === 1;
    });
  });

  it('do not start after their endpoint is deleted, even if capacity becomes free at the same time', async () => {
    const { api } = await platformForTest({ maxWorkers: 1 });
    const started = path.join(await dataDirectory(), 'started');
    const script = `require('node:fs').appendFileSync(${JSON.stringify(started)}, 'started\\n'); setInterval(() => {}, 60_000)`;
    const cmd = [process.execPath, '-e', script];
    const endpoint = await api.createEndpoint({ workers: { min: 2, max: 2 }, cmd });
    await api.worker(endpoint, 'THROTTLED');
    const runs = () => completeLines(started);
    await eventually('the other worker runs', async () => (await runs()).length === 1);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await api.worker(await api.createEndpoint({ workers: { min: 1, max: 1 } }), 'IDLE');
    assert.deepEqual(await runs(), ['started']);
  });

  it('take the place of a failed worker until its next restart', async () => {
    const { api } = await platformForTest({ maxWorkers: 1 });
    const failing = await api.createEndpoint({
      workers: { min: 1, max: 1 },
      cmd: [process.execPath, '-e', 'process.exit(3)'],
    });
    const { id } = await api.worker(failing, 'UNHEALTHY');
    const working = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(working, 'IDLE');
    await api.logsUntil(failing, id, ({ line }) => line.includes('waiting for a free slot'));
    await api.worker(failing, 'THROTTLED');
    await api.call(operations.deleteEndpoint, { parameters: { id: working.id } });
    await api.logsUntil(failing, id, ({ line }) => line.includes('failure 2 in a row'));
  });

  it('end when no job needs them', async () => {
    const { api } = await platformForTest({ clock: fastClock, maxWorkers: 1 });
    const first = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(first, 'IDLE');
    const second = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const job = await api.run(second, { do: 'echo' });
    await api.worker(second, 'THROTTLED');
    await api.call(operations.cancelJob, { parameters: { endpointId: second.id, jobId: job.id } });
    await eventually('no worker waits', async () => (await api.workers(second)).length === 0);
  });
});
