// Clauses of the interface: Endpoints 7.
import assert from 'node:assert/strict';
import { operations } from '../../src/contract/operations.ts';
import type { Template } from '../../src/contract/template.ts';
import { createEndpoint } from '../../src/platform/domain/endpoint.ts';
import type { Refusal } from '../../src/platform/domain/refusal.ts';
import { cleanUp, endpointBody, platformForTest, type Api } from './support.ts';

/** Without these checks, the endpoint's workers would fail to start. */
describe('Endpoint whose workers could not start', () => {
  let api: Api;
  let volumeId: string;
  let cpuEndpoint: string;
  let gpuEndpoint: string;
  const paused = { workers: { min: 0, max: 0 } };
  const onGpu = { cpu: undefined, gpu: { pools: ['ADA_24'] } };

  before(async () => {
    ({ api } = await platformForTest());
    const volume = { name: 'data', size: 10, dataCenter: 'EU-RO-1' };
    ({ id: volumeId } = await api.call(operations.createNetworkVolume, { body: volume }));
    ({ id: cpuEndpoint } = await api.createEndpoint(paused));
    ({ id: gpuEndpoint } = await api.createEndpoint({ ...paused, ...onGpu }));
  });
  after(cleanUp);

  const twice = () => [
    { volumeId, path: '/a' },
    { volumeId, path: '/b' },
  ];
  interface Case {
    readonly changes: () => Record<string, unknown>;
    readonly errors: RegExp[];
    /** Changes answer schema violations with 422 and rule violations with 400. */
    readonly onUpdate: 400 | 422;
  }
  const cases: Record<string, Case> = {
    'a port above 65535': {
      changes: () => ({ ports: ['8000/http', '65536/tcp'] }),
      errors: [/^\$\.ports\[1\]: must have a port from 1 to 65535$/],
      onUpdate: 422,
    },
    'port 0': {
      changes: () => ({ ports: ['0/http'] }),
      errors: [/^\$\.ports\[0\]: must have a port from 1 to 65535$/],
      onUpdate: 422,
    },
    'more vCPUs than the flavor has': {
      changes: () => ({ cpu: [{ id: 'cpu3c', vcpuCount: 64 }] }),
      errors: [/^\$\.cpu\[0\]\.vcpuCount: cpu3c has 2 to 32 vCPUs$/],
      onUpdate: 400,
    },
    'more GPUs than a host has': {
      changes: () => ({ cpu: undefined, gpu: { pools: ['ADA_24'], count: 9 } }),
      errors: [/^\$\.gpu\.count: exceeds the 8 GPUs that these pools offer per worker$/],
      onUpdate: 400,
    },
    'an unknown data center': {
      changes: () => ({ dataCenterIds: ['EU-RO-1', 'MOON-1'] }),
      errors: [/^\$\.dataCenterIds\[1\]: unknown data center 'MOON-1'; expected one of AP-JP-1/],
      onUpdate: 400,
    },
    'a volume that is mounted twice': {
      changes: () => ({ mounts: { network: twice() } }),
      errors: [/^\$\.mounts\.network\[1\]\.volumeId: repeats the volume '\w+'$/],
      onUpdate: 400,
    },
    'a volume that networkVolumes names twice': {
      changes: () => ({ networkVolumes: [volumeId, volumeId] }),
      errors: [/^\$\.networkVolumes(\[1\])?: repeats the volume '\w+'$/],
      onUpdate: 400,
    },
    'NUL in the value of a variable': {
      changes: () => ({ env: { FINE: 'a', TOKEN: 'a\0b' } }),
      errors: [/^\$\.env\.TOKEN: must not contain the NUL character$/],
      onUpdate: 422,
    },
    'NUL in the name of a variable': {
      changes: () => ({ env: { 'A\0B': 'a' } }),
      errors: [/^\$\.env: names must not contain the NUL character$/],
      onUpdate: 422,
    },
    'NUL in the command': {
      changes: () => ({ cmd: ['node', 'a\0'], entrypoint: ['\0'] }),
      errors: [
        /^\$\.cmd\[1\]: must not contain the NUL character$/,
        /^\$\.entrypoint\[0\]: must not contain the NUL character$/,
      ],
      onUpdate: 422,
    },
    'NUL in args': {
      changes: () => ({ args: 'node \0', cmd: undefined }),
      errors: [/^\$\.args: must not contain the NUL character$/],
      onUpdate: 422,
    },
  };

  for (const [what, { changes, errors, onUpdate }] of Object.entries(cases)) {
    it(`is refused on create, naming the field: ${what}`, async () => {
      const body = endpointBody({ ...paused, ...changes() });
      const refused = await api.refused(400, operations.createEndpoint, { body });
      assertMatch(refused.errors, errors);
    });

    it(`is refused on update, naming the field: ${what}`, async () => {
      const body = changes();
      const parameters = { id: 'gpu' in body ? gpuEndpoint : cpuEndpoint };
      const refused = await api.refused(onUpdate, operations.updateEndpoint, { parameters, body });
      assertMatch(refused.errors, errors);
    });
  }

  it('is refused if a template brings the values to a load-balanced endpoint', async () => {
    const scaling = { type: 'REQUEST_COUNT', requestCount: 1 } as const;
    const balanced = { ...paused, scaling, type: 'LOAD_BALANCER' as const };
    const { id } = await api.createEndpoint(balanced);
    const template = { name: 'port', image: 'process:/srv', serverless: true, env: { PORT: '70000' } };
    const { id: templateId } = await api.call(operations.createTemplate, { body: template });
    const expected = ['$.env.PORT: must be a port from 1 to 65535'];
    const create = { ...endpointBody(balanced), templateId };
    assert.deepEqual((await api.refused(400, operations.createEndpoint, { body: create })).errors, expected);
    const update = { parameters: { id }, body: { templateId } };
    assert.deepEqual((await api.refused(400, operations.updateEndpoint, update)).errors, expected);
    await api.call(operations.updateEndpoint, { parameters: { id }, body: { templateId, env: { PORT: '7000' } } });
  });

  it('is refused if the values come from an old template', () => {
    const template = { id: 't', name: 'old', image: 'example/old:1', serverless: true, disk: 1e12, ports: ['0/http'] };
    const findTemplate = (): Template => template;
    const { image, disk, ...body } = endpointBody({ templateId: 't' });
    const about = { id: 'e', accountId: 'owner', now: 0, findTemplate, exists: () => true, mayRunProcesses: true };
    assert.throws(
      () => createEndpoint(body, about),
      (error: Refusal) => {
        assert.equal(error.status, 400);
        assertMatch(error.errors, [/^\$\.disk: must be at most 65536$/, /^\$\.ports\[0\]: must have a port/]);
        return true;
      },
    );
  });
});

function assertMatch(actual: readonly string[] = [], expected: readonly RegExp[]): void {
  assert.equal(actual.length, expected.length, actual.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(actual[index] ?? '', pattern);
}
