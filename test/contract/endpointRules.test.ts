import assert from 'node:assert/strict';
import { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { checkCreateEndpoint } from '../../src/contract/endpointRules.ts';
import { formatViolation } from '../../src/contract/violation.ts';

const valid: CreateEndpointBody = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  image: 'example/hello:1',
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
};
const gpuOnly = { cpu: undefined, gpu: { pools: ['ADA_24'] } };

/** Returns the body with changes. Fields that are undefined are omitted, as in JSON. */
function body(changes: Record<string, unknown>): CreateEndpointBody {
  return CreateEndpointBody.parse(JSON.parse(JSON.stringify({ ...valid, ...changes })));
}

function broken(changes: Record<string, unknown>): string[] {
  return checkCreateEndpoint(body(changes)).map(formatViolation);
}

describe('create rules', () => {
  it('accepts a valid body', () => {
    assert.deepEqual(broken({}), []);
    assert.deepEqual(broken(gpuOnly), []);
  });

  const cases: [string, Record<string, unknown>, string[]][] = [
    ['requires an image or a template', { image: undefined }, ['$.image: missing: set image or templateId']],
    ['accepts a template instead of an image', { image: undefined, templateId: 't1' }, []],
    ['rejects gpu and cpu together', { gpu: { pools: ['ADA_24'] } }, ['$.cpu: gpu and cpu cannot be combined']],
    ['requires gpu or cpu', { cpu: undefined }, ['$.gpu: missing: set gpu or cpu']],
    [
      'rejects QUEUE_DELAY for a load balancer',
      { type: 'LOAD_BALANCER' },
      ['$.scaling.type: QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT'],
    ],
    ['accepts REQUEST_COUNT for a queue', { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } }, []],
    [
      'rejects idleTimeout for a queue that scales on request count',
      { scaling: { type: 'REQUEST_COUNT', requestCount: 2 }, workers: { idleTimeout: 5 } },
      ['$.workers.idleTimeout: does not apply to a QUEUE endpoint that scales on REQUEST_COUNT'],
    ],
    [
      'accepts idleTimeout for a load balancer',
      { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 2 }, workers: { idleTimeout: 5 } },
      [],
    ],
    ['rejects min above max', { workers: { min: 3, max: 2 } }, ['$.workers.min: must be at most max, which is 2']],
    [
      'rejects both CUDA constraints together',
      { cpu: undefined, gpu: { pools: ['ADA_24'], minCudaVersion: '12.4', allowedCudaVersions: ['12.6'] } },
      ['$.gpu.minCudaVersion: minCudaVersion and allowedCudaVersions cannot be combined'],
    ],
    [
      'accepts an empty list of CUDA versions with a minimum version',
      { cpu: undefined, gpu: { pools: ['ADA_24'], minCudaVersion: '12.4', allowedCudaVersions: [] } },
      [],
    ],
    [
      'rejects an exact duplicate in cpu',
      {
        cpu: [
          { id: 'cpu3c', vcpuCount: 2 },
          { id: 'cpu3c', vcpuCount: 4 },
          { id: 'cpu3c', vcpuCount: 2 },
        ],
      },
      ['$.cpu[2]: repeats cpu3c with 2 vCPUs'],
    ],
    ['accepts args that match cmd', { args: 'node "a b.js"', cmd: ['node', 'a b.js'] }, []],
    [
      'rejects args with a command other than cmd',
      { args: 'node a.js', cmd: ['node', 'b.js'] },
      ['$.args: must be the same command as entrypoint and cmd'],
    ],
    [
      'rejects args without the given entrypoint',
      { args: 'node a.js', entrypoint: ['sh'] },
      ['$.args: must be the same command as entrypoint and cmd'],
    ],
    ['rejects args with an unclosed quotation', { args: `node 'a` }, [`$.args: the quote ' is not closed`]],
    [
      'rejects both kinds of volumes together',
      {
        ...gpuOnly,
        mounts: { network: [{ volumeId: 'n', path: '/v' }], global: [{ volumeId: 'g', path: '/v' }] },
      },
      ['$.mounts.global: network and global volumes cannot be combined'],
    ],
    [
      'accepts a change from one kind of volume to the other',
      { ...gpuOnly, mounts: { network: [], global: [{ volumeId: 'g', path: '/v' }] } },
      [],
    ],
    [
      'rejects two global volumes, and any on a CPU endpoint',
      {
        mounts: {
          global: [
            { volumeId: 'g', path: '/v' },
            { volumeId: 'h', path: '/w' },
          ],
        },
      },
      [
        '$.mounts.global[1]: at most one global volume can be mounted',
        '$.mounts.global: global volumes are for GPU endpoints only',
      ],
    ],
    [
      'rejects networkVolumes that differ from mounts.network',
      { mounts: { network: [{ volumeId: 'a', path: '/v' }] }, networkVolumes: ['b'] },
      ['$.networkVolumes: must list the same volumes as mounts.network'],
    ],
    [
      'accepts networkVolumes that match mounts.network',
      { mounts: { network: [{ volumeId: 'a', path: '/v' }] }, networkVolumes: ['a'] },
      [],
    ],
    [
      'checks the environment of a load balancer',
      {
        type: 'LOAD_BALANCER',
        scaling: { type: 'REQUEST_COUNT', requestCount: 2 },
        env: { PORT: '0', PORT_HEALTH: '8o', HEALTH_CHECK_PATH: 'ping' },
      },
      [
        '$.env.PORT: must be a port from 1 to 65535',
        '$.env.PORT_HEALTH: must be a port from 1 to 65535',
        '$.env.HEALTH_CHECK_PATH: must start with /',
      ],
    ],
    ['ignores the environment of a queue', { env: { PORT: 'any' } }, []],
  ];
  for (const [name, changes, expected] of cases) {
    it(name, () => assert.deepEqual(broken(changes), expected));
  }

  it('uses status 400 for each violation', () => {
    const violations = checkCreateEndpoint(body({ cpu: undefined, image: undefined }));
    assert.deepEqual(
      violations.map(({ status }) => status),
      [400, 400],
    );
  });
});
