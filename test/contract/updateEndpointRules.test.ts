import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Endpoint, UpdateEndpointBody } from '../../src/contract/endpoint.ts';
import { checkUpdateEndpoint } from '../../src/contract/endpointRules.ts';
import { checkShape } from '../../src/contract/shapeCheck.ts';
import { formatViolation } from '../../src/contract/violation.ts';

const base = {
  id: 'e1',
  name: 'hello',
  type: 'QUEUE',
  workers: { min: 1, max: 3, idleTimeout: 10 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  dataCenterIds: [],
  networkVolumes: [],
  mounts: { network: [], global: [] },
  timeout: 300_000,
  flashboot: 'OFF',
  createdAt: '2026-01-01T00:00:00Z',
  image: 'example/hello:1',
};
const cpuEndpoint = Endpoint.parse({ ...base, gpu: null, cpu: [{ id: 'cpu3c', vcpuCount: 2, memory: 4 }] });
const gpuEndpoint = Endpoint.parse({
  ...base,
  gpu: { pools: ['ADA_24'], allowedCudaVersions: [], minCudaVersion: '12.4', count: 1 },
});
const loadBalancer = Endpoint.parse({
  ...cpuEndpoint,
  type: 'LOAD_BALANCER',
  scaling: { type: 'REQUEST_COUNT', requestCount: 2 },
});
const withNetworkVolume = Endpoint.parse({
  ...gpuEndpoint,
  mounts: { network: [{ volumeId: 'n', path: '/v' }] },
  networkVolumes: ['n'],
});
const countedQueue = Endpoint.parse({ ...cpuEndpoint, scaling: { type: 'REQUEST_COUNT', requestCount: 2 } });

const global = [{ volumeId: 'g', path: '/v' }];
const together = 'network and global volumes cannot be mounted together';
const exclusive = 'minCudaVersion and allowedCudaVersions exclude each other';
const idle = 'does not apply to a QUEUE endpoint that scales on REQUEST_COUNT';

function broken(current: Endpoint, body: unknown): string[] {
  return checkUpdateEndpoint(UpdateEndpointBody.parse(body), current).map(formatViolation);
}

describe('the rules of a change', () => {
  it('say at the maximum that it is below the minimum', () => {
    const body = { workers: { max: 0 } };
    assert.deepEqual(
      checkUpdateEndpoint(UpdateEndpointBody.parse(body), cpuEndpoint).map(({ path, code, data }) => ({
        path,
        code,
        data,
      })),
      [{ path: ['workers', 'max'], code: 'maxBelowMin', data: { min: 1, max: 0 } }],
    );
  });

  const cases: [name: string, current: Endpoint, body: unknown, expected: string[]][] = [
    ['let nothing be changed', cpuEndpoint, {}, []],
    ['need neither image nor hardware', cpuEndpoint, { name: 'other' }, []],
    ['refuse GPUs on a CPU endpoint', cpuEndpoint, { gpu: { count: 2 } }, ['$.gpu: a CPU endpoint cannot get GPUs']],
    [
      'refuse CPU configurations on a GPU endpoint',
      gpuEndpoint,
      { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
      ['$.cpu: a GPU endpoint cannot get CPU configurations'],
    ],
    [
      'refuse both',
      gpuEndpoint,
      { cpu: [{ id: 'cpu3c', vcpuCount: 2 }], gpu: { count: 1 } },
      ['$.cpu: gpu and cpu cannot be given together'],
    ],
    [
      'refuse a repeated CPU configuration',
      cpuEndpoint,
      {
        cpu: [
          { id: 'cpu3c', vcpuCount: 2 },
          { id: 'cpu3c', vcpuCount: 2 },
        ],
      },
      ['$.cpu[1]: repeats cpu3c with 2 vCPUs'],
    ],
    [
      'refuse exclusions without their pools',
      gpuEndpoint,
      { gpu: { excludedTypes: ['A'] } },
      ['$.gpu.excludedTypes: needs pools beside it'],
    ],
    ['allow exclusions with their pools', gpuEndpoint, { gpu: { pools: ['ADA_24'], excludedTypes: ['A'] } }, []],
    [
      'refuse a CUDA set beside the floor that stays',
      gpuEndpoint,
      { gpu: { allowedCudaVersions: ['12.6'] } },
      [`$.gpu.allowedCudaVersions: ${exclusive}`],
    ],
    [
      'allow a CUDA set when the floor is cleared with it',
      gpuEndpoint,
      { gpu: { allowedCudaVersions: ['12.6'], minCudaVersion: '' } },
      [],
    ],
    [
      'refuse a CUDA floor beside a set that stays',
      Endpoint.parse({ ...base, gpu: { pools: ['X'], allowedCudaVersions: ['12.6'], minCudaVersion: null } }),
      { gpu: { minCudaVersion: '12.4' } },
      [`$.gpu.minCudaVersion: ${exclusive}`],
    ],
    [
      'allow a CUDA floor when the set is cleared with it',
      Endpoint.parse({ ...base, gpu: { pools: ['X'], allowedCudaVersions: ['12.6'], minCudaVersion: null } }),
      { gpu: { minCudaVersion: '12.4', allowedCudaVersions: [] } },
      [],
    ],
    [
      'keep QUEUE_DELAY to queues',
      loadBalancer,
      { scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      ['$.scaling.type: QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT'],
    ],
    [
      'refuse idleTimeout where the scaler that stays does not use it',
      countedQueue,
      { workers: { idleTimeout: 5 } },
      [`$.workers.idleTimeout: ${idle}`],
    ],
    [
      'allow idleTimeout with a scaler that uses it',
      countedQueue,
      { workers: { idleTimeout: 5 }, scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      [],
    ],
    [
      'allow a scaler that does not use the idleTimeout there is',
      cpuEndpoint,
      { scaling: { type: 'REQUEST_COUNT', requestCount: 1 } },
      [],
    ],
    [
      'refuse a min above the max that stays',
      cpuEndpoint,
      { workers: { min: 4 } },
      ['$.workers.min: is above max (3)'],
    ],
    [
      'refuse a max below the min that stays',
      cpuEndpoint,
      { workers: { max: 0 } },
      ['$.workers.max: is below the min of the endpoint'],
    ],
    ['allow both to move together', cpuEndpoint, { workers: { min: 0, max: 0 } }, []],
    ['allow a command to be cleared', cpuEndpoint, { args: '', cmd: [], entrypoint: [] }, []],
    ['allow a cmd together with clearing args', cpuEndpoint, { args: '', cmd: ['node'] }, []],
    [
      'refuse a global volume beside a network volume that stays',
      withNetworkVolume,
      { mounts: { global } },
      [`$.mounts.global: ${together}`],
    ],
    ['allow switching the kind of volume', withNetworkVolume, { mounts: { global, network: [] } }, []],
    [
      'refuse deprecated network volumes beside a global one that stays',
      Endpoint.parse({ ...gpuEndpoint, mounts: { global } }),
      { networkVolumes: ['n'] },
      [`$.networkVolumes: ${together}`],
    ],
    ['allow detaching with the deprecated list', withNetworkVolume, { networkVolumes: [], mounts: { global } }, []],
    [
      'refuse global volumes on a CPU endpoint',
      cpuEndpoint,
      { mounts: { global } },
      ['$.mounts.global: global volumes are for GPU endpoints only'],
    ],
    [
      'check the environment of a load balancer',
      loadBalancer,
      { env: { PORT: 'x' } },
      ['$.env.PORT: must be a port from 1 to 65535'],
    ],
    ['leave the environment of a queue alone', cpuEndpoint, { env: { PORT: 'x' } }, []],
  ];
  for (const [name, current, body, expected] of cases) {
    it(name, () => assert.deepEqual(broken(current, body), expected));
  }

  it('know no type: an endpoint keeps the one it has', () => {
    const { violations } = checkShape(UpdateEndpointBody, { type: 'QUEUE' });
    assert.deepEqual(violations.map(formatViolation), ["$.type: unknown property 'type'"]);
  });

  it('say nothing of what an endpoint of a newer service has', () => {
    const newer = Endpoint.parse({ ...base, type: 'MESH', scaling: { type: 'TIDAL' } });
    assert.deepEqual(broken(newer, { workers: { idleTimeout: 5 }, env: { PORT: 'x' }, gpu: { count: 2 } }), []);
  });

  it('earn 400 each, but 422 for exclusions without pools', () => {
    const body = UpdateEndpointBody.parse({ gpu: { excludedTypes: ['A'] } });
    assert.deepEqual(
      checkUpdateEndpoint(body, cpuEndpoint).map(({ status }) => status),
      [400, 422],
    );
  });

  it('never blame what the body does not hold', () => {
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const volumes = optional(fc.array(fc.constantFrom({ volumeId: 'a', path: '/a' }, { volumeId: 'b', path: '/b' })));
    const body = fc.record({
      scaling: optional(
        fc.constantFrom({ type: 'QUEUE_DELAY', queueDelay: 1 }, { type: 'REQUEST_COUNT', requestCount: 1 }),
      ),
      workers: optional(
        fc.record({ min: optional(fc.nat(5)), max: optional(fc.nat(5)), idleTimeout: optional(fc.constant(5)) }),
      ),
      gpu: optional(
        fc.record({
          pools: optional(fc.constant(['ADA_24'])),
          excludedTypes: optional(fc.constant(['A'])),
          minCudaVersion: optional(fc.constantFrom('', '12.4')),
          allowedCudaVersions: optional(fc.constantFrom([], ['12.4'])),
        }),
      ),
      cpu: optional(fc.constant([{ id: 'cpu3c', vcpuCount: 2 }])),
      args: optional(fc.constantFrom('', 'a b', `'`)),
      cmd: optional(fc.constantFrom([], ['a', 'b'])),
      env: optional(fc.dictionary(fc.constantFrom('PORT', 'HEALTH_CHECK_PATH'), fc.string())),
      mounts: optional(fc.record({ network: volumes, global: volumes })),
      networkVolumes: optional(fc.constantFrom([], ['a'], ['b'])),
    });
    const current = fc.constantFrom(cpuEndpoint, gpuEndpoint, loadBalancer, withNetworkVolume, countedQueue);
    fc.assert(
      fc.property(body, current, (changes, endpoint) => {
        const parsed = UpdateEndpointBody.parse(JSON.parse(JSON.stringify(changes)));
        for (const { path } of checkUpdateEndpoint(parsed, endpoint)) {
          const held = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], parsed);
          assert.notEqual(held, undefined, path.join('.'));
        }
      }),
    );
  });
});
