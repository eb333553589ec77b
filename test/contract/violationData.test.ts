import assert from 'node:assert/strict';
import type { Endpoint, CreateEndpointBody, UpdateEndpointBody } from '../../src/contract/endpoint.ts';
import { checkCreateEndpoint, checkUpdateEndpoint } from '../../src/contract/endpointRules.ts';
import { checkHardware, type HardwareCatalog } from '../../src/contract/hardwareRules.ts';
import type { FieldError } from '../../src/contract/violation.ts';

const valid: CreateEndpointBody = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  image: 'example/hello:1',
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
};
const onGpu = { cpu: undefined, gpu: { pools: ['ADA_24'] } };
const balanced = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } } as const;
const network = [{ volumeId: 'n1', path: '/v' }];
const global = [{ volumeId: 'g1', path: '/v' }];

const decidable = ({ path, code, data }: FieldError) => ({ at: path.join('.'), code, data });

/** Returns the paths, codes, and data of the violations of a changed create body. */
function broken(changes: Partial<Record<keyof CreateEndpointBody, unknown>>) {
  return checkCreateEndpoint({ ...valid, ...changes } as CreateEndpointBody).map(decidable);
}

describe('a violation of an endpoint rule', () => {
  const cases: Record<string, [Parameters<typeof broken>[0], ReturnType<typeof broken>[number]]> = {
    'contains the scaler to use instead': [
      { type: 'LOAD_BALANCER' },
      { at: 'scaling.type', code: 'scalerNeedsQueue', data: { scaler: 'QUEUE_DELAY', instead: 'REQUEST_COUNT' } },
    ],
    'contains both ends of a reversed range': [
      { workers: { min: 3, max: 2 } },
      { at: 'workers.min', code: 'minAboveMax', data: { min: 3, max: 2, maxIsDefault: false } },
    ],
    'contains both CUDA constraints': [
      { cpu: undefined, gpu: { pools: ['ADA_24'], minCudaVersion: '12.4', allowedCudaVersions: ['12.6'] } },
      {
        at: 'gpu.minCudaVersion',
        code: 'cudaConstraintsConflict',
        data: { given: { minCudaVersion: '12.4', allowedCudaVersions: ['12.6'] } },
      },
    ],
    'contains the index of the first of two equal entries': [
      { cpu: [...(valid.cpu ?? []), { id: 'cpu5c', vcpuCount: 2 }, ...(valid.cpu ?? [])] },
      { at: 'cpu.2', code: 'repeatedCpu', data: { id: 'cpu3c', vcpuCount: 2, first: 0 } },
    ],
    'contains the fields that args contradicts': [
      { args: 'node a.js', cmd: ['node', 'b.js'] },
      { at: 'args', code: 'argsConflict', data: { given: ['cmd'] } },
    ],
    'reports an unclosed quotation': [
      { args: "node 'a" },
      { at: 'args', code: 'argsUnreadable', data: { unclosed: "'" } },
    ],
    'reports a JSON object that is not a command': [
      { args: '{"command":1}' },
      { at: 'args', code: 'argsUnreadable', data: {} },
    ],
    'contains both lists of network volumes': [
      { ...onGpu, networkVolumes: ['n2'], mounts: { network } },
      { at: 'networkVolumes', code: 'networkVolumesWithMounts', data: { listed: ['n2'], mounted: ['n1'] } },
    ],
    'reports two kinds of volumes': [
      { ...onGpu, mounts: { network, global } },
      { at: 'mounts.global', code: 'networkAndGlobalMounts', data: {} },
    ],
    'contains all global volumes if there are too many': [
      { ...onGpu, mounts: { global: [...global, { volumeId: 'g2', path: '/w' }] } },
      { at: 'mounts.global.1', code: 'secondGlobalVolume', data: { mounted: ['g1', 'g2'] } },
    ],
    'contains the index of the first mount of a repeated volume': [
      { mounts: { network: [...network, ...network] } },
      { at: 'mounts.network.1.volumeId', code: 'repeatedVolume', data: { volumeId: 'n1', first: 0 } },
    ],
    'contains no value of an environment variable with an invalid port': [
      { ...balanced, env: { PORT: '99999' } },
      { at: 'env.PORT', code: 'notAPort', data: { maximum: 65535 } },
    ],
    'contains a health path without a leading slash': [
      { ...balanced, env: { HEALTH_CHECK_PATH: 'ping' } },
      { at: 'env.HEALTH_CHECK_PATH', code: 'relativeHealthPath', data: { value: 'ping' } },
    ],
  };
  for (const [name, [changes, expected]] of Object.entries(cases))
    it(name, () => assert.deepEqual(broken(changes), [expected]));

  it('contains the hardware family of the endpoint', () => {
    const current = { ...valid, workers: { min: 0, max: 1 } } as unknown as Endpoint;
    const change: UpdateEndpointBody = { gpu: { count: 1 } };
    assert.deepEqual(checkUpdateEndpoint(change, current).map(decidable), [
      { at: 'gpu', code: 'hardwareFamilyFixed', data: { family: 'CPU' } },
    ]);
  });
});

describe('a violation of a catalog rule', () => {
  const catalog: HardwareCatalog = {
    gpus: [{ id: 'RTX', pool: 'ADA_24', maxCount: { secure: 4, community: 2 } }],
    cpus: [{ id: 'cpu3c', vcpu: { min: 2, max: 16 } }],
    dataCenters: [{ id: 'EU-1' }],
  };
  const unavailable = (wanted: Parameters<typeof checkHardware>[0]) => checkHardware(wanted, catalog).map(decidable);

  it('contains the known values', () => {
    assert.deepEqual(
      unavailable({ gpu: { pools: ['NONE'] }, cpu: [{ id: 'x', vcpuCount: 2 }], dataCenterIds: ['M'] }),
      [
        { at: 'gpu.pools.0', code: 'unknownPool', data: { value: 'NONE', known: ['ADA_24'] } },
        { at: 'cpu.0.id', code: 'unknownFlavor', data: { value: 'x', known: ['cpu3c'] } },
        { at: 'dataCenterIds.0', code: 'unknownDataCenter', data: { value: 'M', known: ['EU-1'] } },
      ],
    );
  });

  it('contains the vCPU counts of the flavor', () => {
    const data = { flavor: 'cpu3c', minimum: 2, maximum: 16, allowed: [2, 4, 8, 16] };
    assert.deepEqual(unavailable({ cpu: [{ id: 'cpu3c', vcpuCount: 32 }] }), [
      { at: 'cpu.0.vcpuCount', code: 'vcpuCount', data },
    ]);
  });

  it('contains the largest GPU count and the GPU types of the pools', () => {
    assert.deepEqual(unavailable({ gpu: { pools: ['ADA_24'], count: 8, excludedTypes: ['A40', 'RTX'] } }), [
      { at: 'gpu.count', code: 'gpuCount', data: { count: 8, maximum: 4 } },
      { at: 'gpu.excludedTypes.0', code: 'foreignExclusion', data: { value: 'A40', offered: ['RTX'] } },
      { at: 'gpu.excludedTypes', code: 'everythingExcluded', data: { offered: ['RTX'] } },
    ]);
  });
});
