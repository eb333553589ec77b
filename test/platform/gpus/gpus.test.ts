import assert from 'node:assert/strict';
import { pino } from 'pino';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { CreateEndpointBody, Endpoint } from '../../../src/contract/endpoint.ts';
import { operations } from '../../../src/contract/operations.ts';
import { discoverGpus, parseGpus, type GpuChoice, MachineGpus } from '../../../src/platform/gpus/machineGpus.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { cleanUp, dataDirectory, eventually, fastClock, manualClock, platformForTest, type Api } from '../support.ts';
import { environmentWithDriver, printing, TWO_GPUS, writeDriver } from './fakeDriver.ts';

const gpuEndpoint = (changes: Partial<CreateEndpointBody> = {}): Partial<CreateEndpointBody> => ({
  ...{ cpu: undefined, gpu: { pools: ['ADA_24'], count: 1 }, workers: { min: 1, max: 1 }, ...changes },
});

const lineOf = async (api: Api, endpoint: Endpoint, part: string) => {
  const [worker] = await api.workers(endpoint);
  assert.ok(worker);
  return (await api.logsUntil(endpoint, worker.id, ({ line }) => line.includes(part))).at(-1)?.line ?? '';
};

/** Returns the GPUs that CUDA shows to a worker of the endpoint, by UUID or index. Undefined: all. */
const visibleGpus = async (api: Api, endpoint: Endpoint) => {
  const { output } = await api.runSync(endpoint, { do: 'environment' });
  return (output as Record<string, string>)['CUDA_VISIBLE_DEVICES'];
};

describe('GPUs of this machine', function () {
  before(function () {
    // The driver's program is a shell script.
    if (process.platform === 'win32') this.skip();
  });

  afterEach(cleanUp);

  it('are those that the program of the driver lists', async () => {
    const found = await discoverGpus(systemClock, await environmentWithDriver(printing(TWO_GPUS)));
    assert.deepEqual(found, [
      { index: 0, uuid: 'GPU-aaaa', name: 'NVIDIA L4', memoryMb: 23_034 },
      { index: 1, uuid: 'GPU-bbbb', name: 'NVIDIA L4', memoryMb: 23_034 },
    ]);
    assert.deepEqual(parseGpus('2, GPU-c, Grace, [N/A]\r\nwarning\n\n'), [
      { index: 2, uuid: 'GPU-c', name: 'Grace', memoryMb: undefined },
    ]);
  });

  it('are none if the driver is not installed', async () => {
    assert.deepEqual(await discoverGpus(systemClock, { PATH: await dataDirectory() }), []);
  });

  it('are not known if the driver fails or does not respond', async () => {
    const failing = await environmentWithDriver('echo "No devices were found"; exit 6');
    await assert.rejects(discoverGpus(systemClock, failing), /exited with code 6: No devices were found/);
    const clock = manualClock(0);
    const hanging = discoverGpus(clock, await environmentWithDriver('exec sleep 600'));
    clock.advance(10_000);
    await assert.rejects(hanging, /did not end within 10000 ms/);
  });

  it('can be limited by index and UUID, and a wrong one is logged', async () => {
    const environment = await environmentWithDriver(printing(TWO_GPUS));
    const logged: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
    const uuidsFor = async (choice: GpuChoice) => {
      const capacity = new HostCapacity(1);
      const gpus = new MachineGpus({ choice, clock: systemClock, environment, capacity, log });
      await gpus.refresh();
      assert.equal(capacity.gpuCount, gpus.list().length);
      return gpus.list().map(({ uuid }) => uuid);
    };
    assert.deepEqual(await uuidsFor('auto'), ['GPU-aaaa', 'GPU-bbbb']);
    assert.deepEqual(await uuidsFor('none'), []);
    assert.deepEqual(await uuidsFor('ignore'), []);
    assert.deepEqual(await uuidsFor(['1']), ['GPU-bbbb']);
    assert.deepEqual(logged, []);
    assert.deepEqual(await uuidsFor(['GPU-aaaa', '7']), ['GPU-aaaa']);
    assert.match(logged.join(''), /"missing":\["7"\].*does not have these GPUs/);
  });

  it('are assigned whole to workers, which see only their own', async () => {
    const environment = await environmentWithDriver(printing(TWO_GPUS));
    const { api } = await platformForTest({ gpus: 'auto', environment });
    const first = await api.createEndpoint(gpuEndpoint());
    const second = await api.createEndpoint(gpuEndpoint());
    for (const [endpoint, uuid] of [
      [first, 'GPU-aaaa'],
      [second, 'GPU-bbbb'],
    ] as const) {
      assert.deepEqual((await api.worker(endpoint, 'IDLE')).gpus, [uuid]);
      assert.equal(await visibleGpus(api, endpoint), uuid);
    }
    const third = await api.createEndpoint(gpuEndpoint());
    const waiting = await api.worker(third, 'THROTTLED');
    assert.deepEqual([waiting.start, waiting.gpus], [{ kind: 'waitingForGpus', needed: 1, total: 2 }, undefined]);
    await lineOf(api, third, 'waiting for free GPUs (1 needed, 2 on this machine)');
    const { gpus } = await api.call(controlOperations.getEngine);
    assert.deepEqual(gpus, [
      { id: 'GPU-aaaa', name: 'NVIDIA L4', memoryMb: 23_034, inUse: true },
      { id: 'GPU-bbbb', name: 'NVIDIA L4', memoryMb: 23_034, inUse: true },
    ]);
    // Workers without GPUs do not wait, and see none.
    const cpu = await api.createEndpoint();
    await api.worker(cpu, 'IDLE');
    assert.equal(await visibleGpus(api, cpu), '');
    const overriding = await api.createEndpoint({ env: { CUDA_VISIBLE_DEVICES: '0' } });
    assert.equal(await visibleGpus(api, overriding), '0');
    await api.call(operations.deleteEndpoint, { parameters: { id: first.id } });
    assert.deepEqual((await api.worker(third, 'IDLE')).gpus, ['GPU-aaaa']);
  });

  it('are required by a GPU endpoint, whose log names the ways to run without them', async () => {
    const { api } = await platformForTest({ gpus: 'none' });
    const endpoint = await api.createEndpoint(gpuEndpoint());
    await api.worker(endpoint, 'UNHEALTHY');
    const line = await lineOf(api, endpoint, 'cannot be started');
    assert.match(line, /^the worker cannot be started \(no GPU\): each worker needs a GPU, .*x-local.*--gpus ignore/);
  });

  it('are found later, such as after the driver was installed', async () => {
    const environment = await environmentWithDriver('exit 9');
    const { api } = await platformForTest({ gpus: 'auto', environment, clock: fastClock });
    const endpoint = await api.createEndpoint(gpuEndpoint());
    await api.worker(endpoint, 'UNHEALTHY');
    await writeDriver(environment['DRIVER'] ?? '', printing(TWO_GPUS));
    assert.deepEqual((await api.worker(endpoint, 'IDLE')).gpus, ['GPU-aaaa']);
  });

  it('are not needed by an endpoint that ignores them, and a change of that replaces its workers', async () => {
    const environment = await environmentWithDriver(printing(TWO_GPUS));
    const { api } = await platformForTest({ gpus: 'auto', environment });
    const endpoint = await api.createEndpoint(
      gpuEndpoint({ gpu: { pools: ['ADA_24'], count: 8 }, 'x-local': { gpu: 'ignore' } }),
    );
    assert.deepEqual(endpoint['x-local'], { gpu: 'ignore' });
    const before = await api.worker(endpoint, 'IDLE');
    assert.equal(before.gpus, undefined);
    const parameters = { id: endpoint.id };
    const body = { gpu: { count: 2 }, 'x-local': {} };
    const changed = await api.call(operations.updateEndpoint, { parameters, body });
    assert.equal(changed['x-local'], undefined);
    const after = await eventually('a worker has GPUs', async () =>
      (await api.workers(endpoint)).find(({ gpus }) => gpus?.length === 2),
    );
    assert.notEqual(after.id, before.id);
  });

  it('can be ignored, so that GPU endpoints run as before', async () => {
    const { api } = await platformForTest({ gpus: 'ignore' });
    const endpoint = await api.createEndpoint(gpuEndpoint({ gpu: { pools: ['ADA_24'], count: 8 } }));
    const worker = await api.worker(endpoint, 'IDLE');
    assert.deepEqual([worker.gpuCount, worker.gpus], [8, undefined]);
    assert.equal(await visibleGpus(api, endpoint), undefined);
  });
});
