// Clauses of the interface: Rules 6.
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, dataDirectory, eventually, platformForTest, settableClock, type Api } from '../support.ts';
import { completeLines } from '../../support/completeLines.ts';

const body = { name: 'models', size: 10, dataCenter: 'EU-RO-1' };
const gpu = { cpu: undefined, gpu: { pools: ['ADA_24'] } };
const paused = { workers: { min: 0, max: 0 } };
const mount = (volumeId: string) => ({ volumeId, path: '/data' });

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

describe('Platform: network volumes', () => {
  let api: Api;
  let dataDir: string;

  before(async () => {
    dataDir = await dataDirectory();
    ({ api } = await platformForTest({ dataDir }));
  });

  after(cleanUp);

  const create = (changes: object = {}) => api.call(operations.createNetworkVolume, { body: { ...body, ...changes } });
  const directoryOf = (id: string) => path.join(dataDir, 'volumes', id);

  it('can be created as directories, listed, and read', async () => {
    const volume = await create({ type: 'HIGH_PERFORMANCE' });
    const { id, ...rest } = volume;
    assert.match(id, /^[a-z0-9]{10}$/);
    assert.deepEqual(rest, { ...body, type: 'HIGH_PERFORMANCE' });
    assert.equal((await create()).type, 'STANDARD');
    assert.ok(await exists(directoryOf(id)));
    assert.deepEqual(await api.call(operations.getNetworkVolume, { parameters: { id } }), volume);
    const first = await api.call(operations.listNetworkVolumes, { query: { limit: 1 } });
    assert.deepEqual([first.networkVolumes, first.pagination?.hasNextPage], [[volume], true]);
    const all = await api.call(operations.listNetworkVolumes);
    assert.equal(all.networkVolumes.length, 2);
  });

  it('can be renamed and enlarged, but not reduced', async () => {
    const { id } = await create();
    const parameters = { id };
    const grown = await api.call(operations.updateNetworkVolume, { parameters, body: { size: 20 } });
    assert.deepEqual([grown.size, grown.name], [20, 'models']);
    const renamed = await api.call(operations.updateNetworkVolume, { parameters, body: { name: 'more', size: 20 } });
    assert.deepEqual([renamed.size, renamed.name], [20, 'more']);
    const { errors } = await api.refused(400, operations.updateNetworkVolume, { parameters, body: { size: 19 } });
    assert.deepEqual(errors, ['$.size: must be at least the current size of 20 GB: volumes cannot shrink']);
    assert.deepEqual(await api.call(operations.getNetworkVolume, { parameters }), renamed);
  });

  it('name every violation of the shape, and the known data centers', async () => {
    const wrong = { name: '', size: 9, type: 'FAST', bogus: 1 };
    const { errors = [] } = await api.refused(422, operations.createNetworkVolume, { body: wrong });
    assert.deepEqual(errors.map((error) => error.split(':')[0]).sort(), [
      ...['$.bogus', '$.dataCenter', '$.name', '$.size', '$.type'],
    ]);
    await api.refused(422, operations.createNetworkVolume, { body: { ...body, size: 4097 } });
    const refused = await api.refused(400, operations.createNetworkVolume, { body: { ...body, dataCenter: 'MOON-1' } });
    assert.match(refused.errors?.[0] ?? '', /^\$\.dataCenter: unknown data center 'MOON-1'; expected one of .*EU-RO-1/);
    const { id } = await create();
    const parameters = { id };
    await api.refused(422, operations.updateNetworkVolume, { parameters, body: {} });
    await api.refused(422, operations.updateNetworkVolume, { parameters, body: { dataCenter: 'US-KS-2' } });
    await api.refused(404, operations.updateNetworkVolume, { parameters: { id: 'nope' }, body: { size: 20 } });
  });

  it('are deleted with their files', async () => {
    const { id } = await create();
    await mkdir(path.join(directoryOf(id), 'deep'));
    await writeFile(path.join(directoryOf(id), 'deep', 'model.bin'), 'weights');
    await api.call(operations.deleteNetworkVolume, { parameters: { id } });
    assert.ok(!(await exists(directoryOf(id))));
    await api.refused(404, operations.getNetworkVolume, { parameters: { id } });
    await api.refused(404, operations.deleteNetworkVolume, { parameters: { id } });
  });

  it('must exist if an endpoint names them in either list', async () => {
    const { errors } = await api.refused(400, operations.createEndpoint, {
      body: {
        ...{ name: 'x', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, image: 'i', ...gpu },
        ...{ networkVolumes: ['nope'], mounts: { network: [mount('nope')] } },
      },
    });
    assert.deepEqual(errors, [
      "$.networkVolumes[0]: there is no network volume 'nope'",
      "$.mounts.network[0].volumeId: there is no network volume 'nope'",
    ]);
  });

  it('cannot be deleted while an endpoint mounts them through either list', async () => {
    const { id, name } = await create();
    for (const mounted of [{ mounts: { network: [mount(id)] } }, { networkVolumes: [id] }]) {
      const endpoint = await api.createEndpoint({ ...paused, ...mounted });
      assert.deepEqual(endpoint.networkVolumes, [id]);
      const { detail } = await api.refused(400, operations.deleteNetworkVolume, { parameters: { id } });
      assert.equal(detail, `the network volume '${name}' is in use by the endpoint 'test' (${endpoint.id})`);
      await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    }
    await api.call(operations.deleteNetworkVolume, { parameters: { id } });
  });

  it('must exist if an update mounts them, and can be deleted once detached', async () => {
    const { id } = await create();
    const other = await api.call(operations.createGlobalVolume, { body: { name: 'other' } });
    const endpoint = await api.createEndpoint({ ...paused, ...gpu });
    const parameters = { id: endpoint.id };
    const refused = await api.refused(400, operations.updateEndpoint, {
      parameters,
      body: { registry: 'nope', mounts: { network: [mount(id), mount('nope')] } },
    });
    assert.deepEqual(refused.errors, [
      "$.registry: there is no registry credential 'nope'",
      "$.mounts.network[1].volumeId: there is no network volume 'nope'",
    ]);
    const change = async (mounts: object) =>
      (await api.call(operations.updateEndpoint, { parameters, body: { mounts } })).mounts;
    assert.deepEqual(await change({ network: [mount(id)] }), { network: [mount(id)], global: [] });
    await api.refused(400, operations.deleteNetworkVolume, { parameters: { id } });
    const switched = { network: [], global: [mount(other.id)] };
    assert.deepEqual(await change(switched), switched);
    await api.call(operations.deleteNetworkVolume, { parameters: { id } });
    await api.refused(400, operations.deleteGlobalVolume, { parameters: { id: other.id } });
    assert.deepEqual(await change({ global: [] }), { network: [], global: [] });
    await api.call(operations.deleteGlobalVolume, { parameters: { id: other.id } });
  });

  it('are passed to workers in an environment variable, and keep their files when a worker ends', async () => {
    const { id } = await create();
    await writeFile(path.join(directoryOf(id), 'in'), 'put there before');
    const script = `
      const fs = require('node:fs');
      const volume = process.env.CLOUD_COMPUTE_VOLUME;
      fs.writeFileSync(volume + '/out', fs.readFileSync(volume + '/in', 'utf8') + ', seen by a worker\\n');`;
    const cmd = [process.execPath, '-e', script];
    const endpoint = await api.createEndpoint({ mounts: { network: [mount(id)] }, cmd });
    const out = path.join(directoryOf(id), 'out');
    const line = await eventually('the worker writes', async () => (await completeLines(out))[0]);
    assert.equal(line, 'put there before, seen by a worker');
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    assert.ok(await exists(out));
  });

  it('are reported in the log of a worker if they cannot be used', async () => {
    const { id } = await create();
    await rm(directoryOf(id), { recursive: true });
    await writeFile(directoryOf(id), 'a file where the volume was');
    const endpoint = await api.createEndpoint({ mounts: { network: [mount(id)] } });
    const worker = await api.worker(endpoint, 'UNHEALTHY');
    const events = await api.logsUntil(endpoint, worker.id, ({ line }) => line.includes('unhealthy'));
    assert.ok(events.some(({ line }) => line.includes('its volume cannot be used: EEXIST')));
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
  });

  it('are billed by size, from their creation to their deletion', async () => {
    const day = 24 * 3_600_000;
    const start = Date.parse('2026-03-01T00:00:00Z');
    const clock = settableClock(start);
    const { api: metered } = await platformForTest({ clock });
    const volumeOf = async (changes: object) =>
      metered.call(operations.createNetworkVolume, { body: { ...body, ...changes } });
    const [standard, fast] = [await volumeOf({}), await volumeOf({ type: 'HIGH_PERFORMANCE' })];
    const parameters = { id: standard.id };
    clock.set(start + 10 * day);
    await metered.call(operations.updateNetworkVolume, { parameters, body: { name: 'renamed' } });
    clock.set(start + 15 * day);
    await metered.call(operations.updateNetworkVolume, { parameters, body: { size: 20 } });
    clock.set(start + 30 * day);
    for (const { id } of [standard, fast]) await metered.call(operations.deleteNetworkVolume, { parameters: { id } });
    clock.set(start + 60 * day);
    const query = { startTime: '2026-03-01T00:00:00Z', endTime: '2026-04-30T00:00:00Z' };
    const amounts = async (networkVolumeId: string) => {
      const { metadata } = await metered.call(operations.listNetworkVolumeBilling, {
        query: { ...query, networkVolumeId },
      });
      return [metadata.totals.standardAmount, metadata.totals.highPerformanceAmount];
    };
    // Half a month of 10 GB and half a month of 20 GB at 0.07 USD per GB and month of 30 days.
    assert.deepEqual(await amounts(standard.id), [1.05, 0]);
    assert.deepEqual(await amounts(fast.id), [0, 1.4]);
  });

  it('survive a restart with their files', async () => {
    const kept = await dataDirectory();
    const first = await platformForTest({ dataDir: kept });
    const volume = await first.api.call(operations.createNetworkVolume, { body });
    await writeFile(path.join(kept, 'volumes', volume.id, 'file'), 'kept');
    await first.platform.close();
    const second = await platformForTest({ dataDir: kept });
    const { networkVolumes } = await second.api.call(operations.listNetworkVolumes);
    assert.deepEqual(networkVolumes, [volume]);
    assert.equal(await readFile(path.join(kept, 'volumes', volume.id, 'file'), 'utf8'), 'kept');
  });

  it('are deleted when a platform in memory stops', async () => {
    const { api: inMemory, platform } = await platformForTest();
    const { id } = await inMemory.call(operations.createNetworkVolume, { body });
    const script = 'console.log("volume " + process.env.CLOUD_COMPUTE_VOLUME); setInterval(() => 0, 1000)';
    const endpoint = await inMemory.createEndpoint({ networkVolumes: [id], cmd: [process.execPath, '-e', script] });
    const [worker] = await eventually('the endpoint has a worker', async () => {
      const workers = await inMemory.workers(endpoint);
      return workers.length > 0 && workers;
    });
    const line = /^volume (.*)$/;
    const events = await inMemory.logsUntil(endpoint, worker?.id ?? '', (event) => line.test(event.line));
    const directory = line.exec(events.at(-1)?.line ?? '')?.[1] ?? '';
    assert.equal(path.basename(directory), id);
    assert.ok(await exists(directory));
    await platform.close();
    assert.ok(!(await exists(path.dirname(directory))));
  });
});

describe('Platform: global volumes', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });

  after(cleanUp);

  const create = (name = 'shared') => api.call(operations.createGlobalVolume, { body: { name } });

  it('can be created, listed, read, and deleted', async () => {
    const volume = await create('  shared  ');
    assert.equal(volume.name, 'shared');
    assert.match(volume.id, /^gsb_/);
    const parameters = { id: volume.id };
    assert.deepEqual(await api.call(operations.getGlobalVolume, { parameters }), volume);
    assert.deepEqual((await api.call(operations.listGlobalVolumes)).globalVolumes, [volume]);
    await api.call(operations.deleteGlobalVolume, { parameters });
    await api.refused(404, operations.getGlobalVolume, { parameters });
    await api.refused(404, operations.deleteGlobalVolume, { parameters });
  });

  it('require a name that is neither blank nor too long, and have no size', async () => {
    await api.refused(422, operations.createGlobalVolume, { body: { name: '  ' } });
    await api.refused(422, operations.createGlobalVolume, { body: { name: 'x'.repeat(192) } });
    await api.refused(422, operations.createGlobalVolume, { body: { name: 'x', size: 10 } });
    await api.refused(422, operations.listGlobalVolumes, { query: { cursor: 'bogus' } });
  });

  it('require a GPU endpoint without network volumes, are limited to one per endpoint, and must exist', async () => {
    const { id } = await create();
    const refused = async (changes: object) => {
      const base = { name: 'x', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, image: 'i' };
      const { errors = [] } = await api.refused(400, operations.createEndpoint, { body: { ...base, ...changes } });
      return errors.join('\n');
    };
    const cpu = { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] };
    assert.match(await refused({ ...cpu, mounts: { global: [mount(id)] } }), /for GPU endpoints only/);
    assert.match(await refused({ ...gpu, mounts: { global: [mount(id), mount(id)] } }), /at most one global volume/);
    assert.match(await refused({ ...gpu, mounts: { global: [mount('nope')] } }), /there is no global volume 'nope'/);
    const network = await api.call(operations.createNetworkVolume, { body });
    const both = { global: [mount(id)], network: [mount(network.id)] };
    assert.match(await refused({ ...gpu, mounts: both }), /volumes cannot be combined/);
  });

  it('cannot be deleted while an endpoint mounts them', async () => {
    const { id } = await create();
    const endpoint = await api.createEndpoint({ ...paused, ...gpu, mounts: { global: [mount(id)] } });
    await api.refused(400, operations.deleteGlobalVolume, { parameters: { id } });
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await api.call(operations.deleteGlobalVolume, { parameters: { id } });
  });
});
