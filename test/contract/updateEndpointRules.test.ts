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
const together = 'network and global volumes cannot be combined';
const exclusive = 'minCudaVersion and allowedCudaVersions cannot be combined';
const idle = 'does not apply to a QUEUE endpoint that scales on REQUEST_COUNT';

function broken(current: Endpoint, body: unknown): string[] {
  return checkUpdateEndpoint(UpdateEndpointBody.parse(body), current).map(formatViolation);
}

describe('update rules', () => {
  it('reports a maximum below the minimum at the maximum', () => {
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
    ['accepts an empty update', cpuEndpoint, {}, []],
    ['requires neither an image nor hardware', cpuEndpoint, { name: 'other' }, []],
    ['rejects GPUs on a CPU endpoint', cpuEndpoint, { gpu: { count: 2 } }, ['$.gpu: a CPU endpoint cannot have GPUs']],
    [
      'rejects CPU configurations on a GPU endpoint',
      gpuEndpoint,
      { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
      ['$.cpu: a GPU endpoint cannot have CPU configurations'],
    ],
    [
      'rejects gpu and cpu together',
      gpuEndpoint,
      { cpu: [{ id: 'cpu3c', vcpuCount: 2 }], gpu: { count: 1 } },
      ['$.cpu: gpu and cpu cannot be combined'],
    ],
    [
      'rejects a repeated CPU configuration',
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
      'rejects exclusions without pools',
      gpuEndpoint,
      { gpu: { excludedTypes: ['A'] } },
      ['$.gpu.excludedTypes: requires pools in the same request'],
    ],
    ['accepts exclusions with pools', gpuEndpoint, { gpu: { pools: ['ADA_24'], excludedTypes: ['A'] } }, []],
    [
      'rejects a list of CUDA versions if the endpoint has a minimum version',
      gpuEndpoint,
      { gpu: { allowedCudaVersions: ['12.6'] } },
      [`$.gpu.allowedCudaVersions: ${exclusive}`],
    ],
    [
      'accepts a list of CUDA versions that replaces the minimum version',
      gpuEndpoint,
      { gpu: { allowedCudaVersions: ['12.6'], minCudaVersion: '' } },
      [],
    ],
    [
      'rejects a minimum CUDA version if the endpoint has a list of versions',
      Endpoint.parse({ ...base, gpu: { pools: ['X'], allowedCudaVersions: ['12.6'], minCudaVersion: null } }),
      { gpu: { minCudaVersion: '12.4' } },
      [`$.gpu.minCudaVersion: ${exclusive}`],
    ],
    [
      'accepts a minimum CUDA version that replaces the list of versions',
      Endpoint.parse({ ...base, gpu: { pools: ['X'], allowedCudaVersions: ['12.6'], minCudaVersion: null } }),
      { gpu: { minCudaVersion: '12.4', allowedCudaVersions: [] } },
      [],
    ],
    [
      'rejects QUEUE_DELAY for a load balancer',
      loadBalancer,
      { scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      ['$.scaling.type: QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT'],
    ],
    [
      'rejects idleTimeout if the current scaler ignores it',
      countedQueue,
      { workers: { idleTimeout: 5 } },
      [`$.workers.idleTimeout: ${idle}`],
    ],
    [
      'accepts idleTimeout with a scaler that uses it',
      countedQueue,
      { workers: { idleTimeout: 5 }, scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      [],
    ],
    [
      'accepts a scaler that ignores the current idleTimeout',
      cpuEndpoint,
      { scaling: { type: 'REQUEST_COUNT', requestCount: 1 } },
      [],
    ],
    [
      'rejects a min above the current max',
      cpuEndpoint,
      { workers: { min: 4 } },
      ['$.workers.min: must be at most max, which is 3'],
    ],
    [
      'rejects a max below the current min',
      cpuEndpoint,
      { workers: { max: 0 } },
      ['$.workers.max: must be at least the min of the endpoint, which is 1'],
    ],
    ['accepts a new min together with a new max', cpuEndpoint, { workers: { min: 0, max: 0 } }, []],
    ['accepts a cleared command', cpuEndpoint, { args: '', cmd: [], entrypoint: [] }, []],
    ['accepts cmd together with cleared args', cpuEndpoint, { args: '', cmd: ['node'] }, []],
    [
      'rejects a global volume if the endpoint has a network volume',
      withNetworkVolume,
      { mounts: { global } },
      [`$.mounts.global: ${together}`],
    ],
    ['accepts a change of the kind of volume', withNetworkVolume, { mounts: { global, network: [] } }, []],
    [
      'rejects deprecated network volumes if the endpoint has a global volume',
      Endpoint.parse({ ...gpuEndpoint, mounts: { global } }),
      { networkVolumes: ['n'] },
      [`$.networkVolumes: ${together}`],
    ],
    [
      'accepts an empty deprecated list that detaches volumes',
      withNetworkVolume,
      { networkVolumes: [], mounts: { global } },
      [],
    ],
    [
      'rejects global volumes on a CPU endpoint',
      cpuEndpoint,
      { mounts: { global } },
      ['$.mounts.global: global volumes are for GPU endpoints only'],
    ],
    [
      'checks the environment of a load balancer',
      loadBalancer,
      { env: { PORT: 'x' } },
      ['$.env.PORT: must be a port from 1 to 65535'],
    ],
    ['ignores the environment of a queue', cpuEndpoint, { env: { PORT: 'x' } }, []],
  ];
  for (const [name, current, body, expected] of cases) {
    it(name, () => assert.deepEqual(broken(current, body), expected));
  }

  it('rejects type, which cannot be changed', () => {
    const { violations } = checkShape(UpdateEndpointBody, { type: 'QUEUE' });
    assert.deepEqual(violations.map(formatViolation), ["$.type: unknown property 'type'"]);
  });

  it('ignores unknown values of a newer service', () => {
    const newer = Endpoint.parse({ ...base, type: 'MESH', scaling: { type: 'TIDAL' } });
    assert.deepEqual(broken(newer, { workers: { idleTimeout: 5 }, env: { PORT: 'x' }, gpu: { count: 2 } }), []);
  });

  it('uses status 422 for exclusions without pools, and 400 otherwise', () => {
    const body = UpdateEndpointBody.parse({ gpu: { excludedTypes: ['A'] } });
    assert.deepEqual(
      checkUpdateEndpoint(body, cpuEndpoint).map(({ status }) => status),
      [400, 422],
    );
  });

  it('reports only fields that the body contains', () => {
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
    let count = 0;
    fc.assert(
      fc.property(body, current, (changes, endpoint) => {
        const parsed = UpdateEndpointBody.parse(JSON.parse(JSON.stringify(changes)));
        for (const { path } of checkUpdateEndpoint(parsed, endpoint)) {
          const held = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], parsed);
          assert.notEqual(held, undefined, path.join('.'));
          count++;
        }
      }),
    );
    assert.ok(count > 10);
  });
});
