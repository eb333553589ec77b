import assert from 'node:assert/strict';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import { createEndpoint } from '../../../src/platform/domain/endpoint.ts';
import { StartError } from '../../../src/platform/runtimes/runtime.ts';
import { runSpecOf, type RunDependencies } from '../../../src/platform/workers/runSpecOf.ts';
import { stubDependencies } from '../stubRuntime.ts';
import { endpointBody } from '../support.ts';

describe('runSpecOf', () => {
  const references = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true };
  const about = { id: 'endpoint1', accountId: 'owner', now: 1, ...references };
  const identity = { runId: 'run1', workerId: 'worker1', token: 'secret', gpus: ['GPU-a', 'GPU-b'] };
  const gpu = { cpu: undefined, gpu: { pools: ['ADA_24'], count: 2 } } as unknown as Partial<CreateEndpointBody>;
  const balanced: Partial<CreateEndpointBody> = {
    ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } },
  };
  const specOf = (changes: Partial<CreateEndpointBody> = {}, dependencies: Partial<RunDependencies> = {}) =>
    runSpecOf(createEndpoint(endpointBody(changes), about), identity, { ...stubDependencies, ...dependencies });

  it('contains the labels, the protocol, and the command line', () => {
    const { labels, protocol, image, entrypoint, cmd, env } = specOf({
      ...{ image: 'example/worker:1', entrypoint: ['python'], cmd: ['-u', 'x.py'], env: { A: '1' } },
    });
    assert.deepEqual(labels, { owner: 'owner', endpointId: 'endpoint1', workerId: 'worker1', runId: 'run1' });
    assert.deepEqual(protocol, { url: 'http://127.0.0.1:1', token: 'secret' });
    assert.deepEqual(
      { image, entrypoint, cmd, env },
      {
        ...{ image: 'example/worker:1', entrypoint: ['python'], cmd: ['-u', 'x.py'], env: { A: '1' } },
      },
    );
  });

  it('limits the resources of a worker to those that the endpoint requests', () => {
    const gpuDevices = ['GPU-a', 'GPU-b'];
    assert.deepEqual(specOf().resources, { vcpu: 2, memoryGb: 4, gpus: 0, gpuDevices, diskGb: 5 });
    assert.deepEqual(specOf({ ...gpu, disk: undefined }).resources, {
      ...{ defaultShare: 7 / 8, gpus: 2, gpuDevices, diskGb: undefined },
    });
  });

  it('limits a worker with GPUs to most of the machine, and to half of it for other accounts', () => {
    assert.equal(specOf(gpu).resources.defaultShare, 7 / 8);
    const other = createEndpoint(endpointBody(gpu), { ...about, accountId: 'other' });
    assert.equal(runSpecOf(other, identity, stubDependencies).resources.defaultShare, 1 / 2);
  });

  it('has no GPUs if they are ignored, and none of this machine if the engine assigns them', () => {
    assert.deepEqual(specOf(gpu, { ignoreGpus: true }).resources, {
      ...{ defaultShare: 7 / 8, gpus: 0, gpuDevices: undefined, diskGb: 5 },
    });
    const endpoint = createEndpoint(endpointBody(gpu), about);
    const { resources } = runSpecOf(endpoint, { ...identity, gpus: undefined }, stubDependencies);
    assert.deepEqual(resources, { defaultShare: 7 / 8, gpus: 2, gpuDevices: undefined, diskGb: 5 });
  });

  it('refuses a worker that needs more GPUs than were reserved, with the ways to run without GPUs', () => {
    const endpoint = createEndpoint(endpointBody(gpu), about);
    assert.throws(
      () => runSpecOf(endpoint, { ...identity, gpus: [] }, stubDependencies),
      (error) =>
        error instanceof StartError &&
        error.problem === 'noGpu' &&
        /needs 2 GPUs.*x-local: \{ gpu: ignore \}.* --gpus ignore/.test(error.message),
    );
  });

  it('contains a server only for load-balanced endpoints, with the ports from the environment of the endpoint', () => {
    assert.equal(specOf().server, undefined);
    assert.deepEqual(specOf(balanced).server, { port: 80, healthPort: 80, healthPath: '/ping' });
    const env = { PORT: '5000', PORT_HEALTH: '5001', HEALTH_CHECK_PATH: '/up' };
    const { server, ports } = specOf({ ...balanced, env, ports: ['8080/http', '5000/http'] });
    assert.deepEqual(server, { port: 5000, healthPort: 5001, healthPath: '/up' });
    assert.deepEqual(ports, [5000, 5001, 8080]);
    assert.deepEqual(specOf(balanced).ports, [80]);
    assert.deepEqual(specOf({ ports: ['22/tcp'] }).ports, [22]);
  });

  it('resolves credentials only on request', () => {
    const asked: string[] = [];
    const credentialsOf = (...names: string[]) => {
      asked.push(...names);
      return { username: 'u', password: 'hush' };
    };
    const { registry } = specOf({ registry: 'registry1' }, { credentialsOf });
    assert.deepEqual(asked, []);
    assert.ok(!JSON.stringify(registry).includes('hush'));
    assert.deepEqual(registry?.credentials(), { username: 'u', password: 'hush' });
    assert.deepEqual(asked, ['owner', 'registry1']);
    for (const none of [null, undefined]) assert.equal(specOf({ registry: none }).registry, undefined);
  });

  it('names a volume or credential that cannot be used', () => {
    const fail = (): never => {
      throw new Error('it was deleted');
    };
    const isStartError = (what: string) => (error: unknown) =>
      error instanceof StartError && error.message === `its ${what} cannot be used: it was deleted`;
    assert.throws(() => specOf({}, { mountsOf: fail }), isStartError('volume'));
    const { registry } = specOf({ registry: 'registry1' }, { credentialsOf: fail });
    assert.throws(() => registry?.credentials(), isStartError('registry credential'));
  });

  it('contains the mounts of the endpoint', () => {
    const mounts = [{ directory: '/volumes/v', path: '/mnt' }];
    assert.deepEqual(specOf({}, { mountsOf: () => mounts }).mounts, mounts);
  });
});
