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

/** The body with changes; a member set to undefined is left out, as JSON would. */
function body(changes: Record<string, unknown>): CreateEndpointBody {
  return CreateEndpointBody.parse(JSON.parse(JSON.stringify({ ...valid, ...changes })));
}

function broken(changes: Record<string, unknown>): string[] {
  return checkCreateEndpoint(body(changes)).map(formatViolation);
}

describe('the rules of the create body', () => {
  it('accept a body that breaks none', () => {
    assert.deepEqual(broken({}), []);
    assert.deepEqual(broken(gpuOnly), []);
  });

  const cases: [string, Record<string, unknown>, string[]][] = [
    ['need an image or a template', { image: undefined }, ['$.image: missing: give an image or a templateId']],
    ['take a template instead of an image', { image: undefined, templateId: 't1' }, []],
    ['refuse gpu and cpu together', { gpu: { pools: ['ADA_24'] } }, ['$.cpu: gpu and cpu cannot be given together']],
    ['refuse neither gpu nor cpu', { cpu: undefined }, ['$.gpu: missing: give gpu or cpu']],
    [
      'keep QUEUE_DELAY to queues',
      { type: 'LOAD_BALANCER' },
      ['$.scaling.type: QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT'],
    ],
    ['allow REQUEST_COUNT on a queue', { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } }, []],
    [
      'refuse idleTimeout where it does not apply',
      { scaling: { type: 'REQUEST_COUNT', requestCount: 2 }, workers: { idleTimeout: 5 } },
      ['$.workers.idleTimeout: does not apply to a QUEUE endpoint that scales on REQUEST_COUNT'],
    ],
    [
      'allow idleTimeout on a load balancer',
      { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 2 }, workers: { idleTimeout: 5 } },
      [],
    ],
    ['refuse min above max', { workers: { min: 3, max: 2 } }, ['$.workers.min: is above max (2)']],
    [
      'refuse both CUDA constraints',
      { cpu: undefined, gpu: { pools: ['ADA_24'], minCudaVersion: '12.4', allowedCudaVersions: ['12.6'] } },
      ['$.gpu.minCudaVersion: minCudaVersion and allowedCudaVersions exclude each other'],
    ],
    [
      'let an explicit empty CUDA list accompany the floor',
      { cpu: undefined, gpu: { pools: ['ADA_24'], minCudaVersion: '12.4', allowedCudaVersions: [] } },
      [],
    ],
    [
      'refuse an exact duplicate in cpu',
      {
        cpu: [
          { id: 'cpu3c', vcpuCount: 2 },
          { id: 'cpu3c', vcpuCount: 4 },
          { id: 'cpu3c', vcpuCount: 2 },
        ],
      },
      ['$.cpu[2]: repeats cpu3c with 2 vCPUs'],
    ],
    ['allow args that agree with cmd', { args: 'node "a b.js"', cmd: ['node', 'a b.js'] }, []],
    [
      'refuse args that name another command',
      { args: 'node a.js', cmd: ['node', 'b.js'] },
      ['$.args: is another command than entrypoint and cmd'],
    ],
    [
      'refuse args without the entrypoint that is given beside it',
      { args: 'node a.js', entrypoint: ['sh'] },
      ['$.args: is another command than entrypoint and cmd'],
    ],
    ['refuse args whose quote is open', { args: `node 'a` }, [`$.args: the quote ' is not closed`]],
    [
      'refuse both kinds of volume',
      {
        ...gpuOnly,
        mounts: { network: [{ volumeId: 'n', path: '/v' }], global: [{ volumeId: 'g', path: '/v' }] },
      },
      ['$.mounts.global: network and global volumes cannot be mounted together'],
    ],
    [
      'allow switching from one kind of volume to the other',
      { ...gpuOnly, mounts: { network: [], global: [{ volumeId: 'g', path: '/v' }] } },
      [],
    ],
    [
      'refuse two global volumes, and any on a CPU endpoint',
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
      'refuse networkVolumes that differ from mounts.network',
      { mounts: { network: [{ volumeId: 'a', path: '/v' }] }, networkVolumes: ['b'] },
      ['$.networkVolumes: does not agree with mounts.network'],
    ],
    [
      'allow networkVolumes that agree with mounts.network',
      { mounts: { network: [{ volumeId: 'a', path: '/v' }] }, networkVolumes: ['a'] },
      [],
    ],
    [
      'check the environment of a load balancer',
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
    ['leave the environment of a queue alone', { env: { PORT: 'any' } }, []],
  ];
  for (const [name, changes, expected] of cases) {
    it(name, () => assert.deepEqual(broken(changes), expected));
  }

  it('earn status 400 each', () => {
    const violations = checkCreateEndpoint(body({ cpu: undefined, image: undefined }));
    assert.deepEqual(
      violations.map(({ status }) => status),
      [400, 400],
    );
  });
});
