import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { Endpoint } from '../../../../../src/contract/endpoint.ts';
import { checkUpdateEndpoint } from '../../../../../src/contract/endpointRules.ts';
import { bodyOf, comparableEndpoint } from '../../../../../src/features/manifest/actions/compareWithDeployed.ts';
import { compareWithEndpoint } from '../../../../../src/features/manifest/model/deployment/compare.ts';
import { readManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';

type Fields = Readonly<Record<string, unknown>>;

const cpuFile: Fields = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  image: 'example/worker:1',
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
};
const cpuEndpoint: Fields = {
  ...cpuFile,
  id: 'e1',
  workers: { min: 0, max: 3, idleTimeout: 10 },
  dataCenterIds: [],
  networkVolumes: [],
  mounts: { network: [], global: [] },
  timeout: 300_000,
  flashboot: 'OFF',
  createdAt: '2026-01-01T00:00:00Z',
  gpu: null,
  cpu: [{ id: 'cpu3c', vcpuCount: 2, memory: 4 }],
  env: {},
};
const { cpu: _cpu, ...withoutCpu } = cpuFile;
const gpuFile: Fields = { ...withoutCpu, gpu: { pools: ['ADA_24', 'AMPERE_24'] } };
const { cpu: _cpuToo, ...endpointWithoutCpu } = cpuEndpoint;
const gpuEndpoint: Fields = {
  ...endpointWithoutCpu,
  gpu: { pools: ['ADA_24', 'AMPERE_24'], count: 1, allowedCudaVersions: [], minCudaVersion: null },
};

const LOCAL_GPU = { 'x-local': { gpu: 'ignore' } };

const volumes = (...ids: string[]) => ids.map((volumeId) => ({ volumeId, path: `/${volumeId}` }));
const hidden = (text: string) => (text.startsWith('${') ? { '${env:TOKEN}': 'resolved' }[text] : text);

interface Case {
  readonly what: string;
  readonly file?: Fields;
  readonly deployed?: Fields;
  readonly gpu?: true;
  readonly local?: true;
  /** Changed fields. Default: none. */
  readonly changed?: readonly string[];
  /** Body of the update. Default: empty. */
  readonly body?: Fields;
}

const cases: readonly Case[] = [
  { what: 'equal settings' },
  { what: 'equal GPU settings', gpu: true },
  { what: 'defaults that the file states', file: { timeout: 300_000, flashboot: 'OFF', workers: { max: 3 }, env: {} } },
  {
    what: 'a timeout that the file omits',
    deployed: { timeout: 600_000 },
    changed: ['timeout'],
    body: { timeout: 300_000 },
  },
  {
    what: 'workers that the file omits',
    deployed: { workers: { min: 1, max: 5, idleTimeout: 10 } },
    changed: ['workers'],
    body: { workers: { min: 0, max: 3 } },
  },
  {
    what: 'one number of workers',
    file: { workers: { min: 0, max: 7 } },
    changed: ['workers'],
    body: { workers: { max: 7 } },
  },
  { what: 'a disk that the file omits', deployed: { disk: 20 } },
  { what: 'another disk', file: { disk: 10 }, deployed: { disk: 20 }, changed: ['disk'], body: { disk: 10 } },
  {
    what: 'settings that the file omits and that can be cleared',
    deployed: {
      env: { A: '1' },
      ports: ['80/http'],
      registry: 'r1',
      dataCenterIds: ['EU-RO-1'],
      flashboot: 'FLASHBOOT',
      cmd: ['run'],
    },
    changed: ['env', 'ports', 'registry', 'dataCenterIds', 'flashboot', 'cmd'],
    body: { env: {}, ports: [], registry: null, dataCenterIds: [], flashboot: 'OFF', cmd: [] },
  },
  { what: 'no credential in two forms', file: { registry: null }, deployed: { registry: null } },
  {
    what: 'another order of lists without a meaning',
    file: { dataCenterIds: ['A', 'B'], ports: ['80/http', '22/tcp'], env: { A: '1', B: '2' } },
    deployed: { dataCenterIds: ['B', 'A'], ports: ['22/tcp', '80/http'], env: { B: '2', A: '1' } },
  },
  {
    what: 'a repeated item',
    file: { dataCenterIds: ['A', 'B'] },
    deployed: { dataCenterIds: ['A', 'A'] },
    changed: ['dataCenterIds'],
    body: { dataCenterIds: ['A', 'B'] },
  },
  {
    what: 'another order of mounts',
    file: { mounts: { network: volumes('v1', 'v2') } },
    deployed: { mounts: { network: volumes('v2', 'v1'), global: [] }, networkVolumes: ['v2', 'v1'] },
  },
  {
    what: 'another path of a mount',
    file: { mounts: { network: [{ volumeId: 'v1', path: '/other' }] } },
    deployed: { mounts: { network: volumes('v1'), global: [] }, networkVolumes: ['v1'] },
    changed: ['mounts'],
    body: { mounts: { network: [{ volumeId: 'v1', path: '/other' }] } },
  },
  {
    what: 'networkVolumes that equal the mounts',
    file: { networkVolumes: ['v1', 'v2'] },
    deployed: { mounts: { network: volumes('v2', 'v1'), global: [] }, networkVolumes: ['v2', 'v1'] },
  },
  {
    what: 'networkVolumes that differ from the mounts',
    file: { networkVolumes: ['v3'] },
    deployed: { mounts: { network: volumes('v1'), global: [] }, networkVolumes: ['v1'] },
    changed: ['networkVolumes'],
    body: { networkVolumes: ['v3'] },
  },
  {
    what: 'mounts of a service that reports only IDs',
    file: { mounts: { network: volumes('v1') } },
    deployed: { mounts: undefined, networkVolumes: ['v1'] },
  },
  {
    what: 'volumes that the file omits',
    deployed: { mounts: { network: volumes('v1'), global: [] }, networkVolumes: ['v1'] },
    changed: ['mounts'],
    body: { mounts: { network: [] } },
  },
  {
    what: 'volumes that the file omits on a service that reports only IDs',
    deployed: { mounts: undefined, networkVolumes: ['v1'] },
    changed: ['networkVolumes'],
    body: { networkVolumes: [] },
  },
  {
    what: 'another kind of volume',
    gpu: true,
    file: { mounts: { global: volumes('g1') } },
    deployed: { mounts: { network: volumes('v1'), global: [] }, networkVolumes: ['v1'] },
    changed: ['mounts'],
    body: { mounts: { network: [], global: volumes('g1') } },
  },
  {
    what: 'args that equal cmd',
    file: { args: 'python -u "my handler.py"' },
    deployed: { cmd: ['python', '-u', 'my handler.py'] },
  },
  {
    what: 'cmd that equals args',
    file: { cmd: ['python', 'a.py'] },
    deployed: { args: 'python  a.py', cmd: ['python', 'a.py'] },
  },
  {
    what: 'args in JSON that equal entrypoint and cmd',
    file: { args: '{"entrypoint":["tini"],"cmd":["a"]}' },
    deployed: { entrypoint: ['tini'], cmd: ['a'] },
  },
  { what: 'empty forms of no command', file: { args: '', entrypoint: [], cmd: [] } },
  {
    what: 'another order of cmd',
    file: { cmd: ['b', 'a'] },
    deployed: { cmd: ['a', 'b'] },
    changed: ['cmd'],
    body: { cmd: ['b', 'a'] },
  },
  {
    what: 'an entry point that the file states as cmd',
    file: { cmd: ['tini', 'a'] },
    deployed: { entrypoint: ['tini'], cmd: ['a'] },
    changed: ['entrypoint', 'cmd'],
    body: { entrypoint: [], cmd: ['tini', 'a'] },
  },
  {
    what: 'args instead of another cmd',
    file: { args: 'node b.mjs' },
    deployed: { cmd: ['node', 'a.mjs'] },
    changed: ['cmd', 'args'],
    body: { args: 'node b.mjs' },
  },
  {
    what: 'cmd instead of other args',
    file: { cmd: ['node', 'b.mjs'] },
    deployed: { args: 'node a.mjs', cmd: ['node', 'a.mjs'] },
    changed: ['args', 'cmd'],
    body: { args: '', cmd: ['node', 'b.mjs'] },
  },
  {
    what: 'stored args that cannot be read',
    file: { cmd: ['node'] },
    deployed: { args: 'node "' },
    changed: ['args', 'cmd'],
    body: { args: '', cmd: ['node'] },
  },
  {
    what: 'the directory and the command of x-local',
    local: true,
    file: { 'x-local': { directory: 'hello', command: ['node', 'a.mjs'] } },
    deployed: { image: 'process:/srv/hello', args: 'node a.mjs' },
  },
  {
    what: 'the words of a process as entry point and arguments',
    local: true,
    file: { 'x-local': { directory: 'hello', command: 'node a.mjs' } },
    deployed: { image: 'process:/srv/hello', entrypoint: ['node'], cmd: ['a.mjs'] },
  },
  {
    what: 'another directory of x-local',
    local: true,
    file: { 'x-local': { directory: 'other', command: 'node a.mjs' } },
    deployed: { image: 'process:/srv/hello', args: 'node a.mjs' },
    changed: ['image'],
    body: { image: 'process:/srv/other' },
  },
  { what: 'x-local on a hosted platform', file: { 'x-local': { directory: 'hello', command: 'node a.mjs' } } },
  {
    what: 'another rule of scaling',
    file: { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } },
    changed: ['scaling'],
    body: { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } },
  },
  {
    what: 'an idle timeout that the service omits',
    file: { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } },
    deployed: { scaling: { type: 'REQUEST_COUNT', requestCount: 2 }, workers: { min: 0, max: 3 } },
  },
  {
    what: 'an idle timeout that does not apply to the wanted scaling',
    file: { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } },
    deployed: { workers: { min: 0, max: 3, idleTimeout: 60 } },
    changed: ['scaling'],
    body: { scaling: { type: 'REQUEST_COUNT', requestCount: 2 } },
  },
  {
    what: 'the parameter of another scaling rule',
    deployed: { scaling: { type: 'QUEUE_DELAY', queueDelay: 4, requestCount: 1 } },
  },
  {
    what: 'another order of GPU pools',
    gpu: true,
    file: { gpu: { pools: ['AMPERE_24', 'ADA_24'] } },
    changed: ['gpu'],
    body: { gpu: { pools: ['AMPERE_24', 'ADA_24'] } },
  },
  {
    what: 'another order of exclusions and CUDA versions',
    gpu: true,
    file: { gpu: { pools: ['ADA_24'], excludedTypes: ['b', ' a'], allowedCudaVersions: ['12.6', '12.4'], count: 1 } },
    deployed: {
      gpu: {
        pools: ['ADA_24'],
        excludedTypes: ['a', 'b'],
        allowedCudaVersions: ['12.4', '12.6'],
        minCudaVersion: null,
        count: 1,
      },
    },
  },
  {
    what: 'GPU settings that the file omits',
    gpu: true,
    deployed: {
      gpu: { pools: ['ADA_24', 'AMPERE_24'], excludedTypes: ['a'], count: 2, minCudaVersion: '12.4' },
    },
    changed: ['gpu'],
    body: { gpu: { pools: ['ADA_24', 'AMPERE_24'], count: 1, minCudaVersion: '' } },
  },
  {
    what: 'another order of CPU configurations',
    file: {
      cpu: [
        { id: 'cpu5c', vcpuCount: 2 },
        { id: 'cpu3c', vcpuCount: 2 },
      ],
    },
    deployed: {
      cpu: [
        { id: 'cpu3c', vcpuCount: 2 },
        { id: 'cpu5c', vcpuCount: 2 },
      ],
    },
    changed: ['cpu'],
    body: {
      cpu: [
        { id: 'cpu5c', vcpuCount: 2 },
        { id: 'cpu3c', vcpuCount: 2 },
      ],
    },
  },
  {
    what: 'another name and image',
    deployed: { name: 'old', image: 'example/worker:0' },
    changed: ['name', 'image'],
    body: { name: 'hello', image: 'example/worker:1' },
  },
  {
    what: 'a variable with the resolved value of its reference',
    file: { env: { TOKEN: '${env:TOKEN}' } },
    deployed: { env: { TOKEN: 'resolved' } },
  },
  {
    what: 'a variable with another value than its reference',
    file: { env: { TOKEN: '${env:TOKEN}' } },
    deployed: { env: { TOKEN: 'old' } },
    changed: ['env'],
    body: { env: { TOKEN: 'resolved' } },
  },
  {
    what: 'a variable whose reference has no available value',
    file: { env: { TOKEN: '${secret:TOKEN}' } },
    deployed: { env: { TOKEN: 'unknown' } },
  },
  {
    what: 'another variable beside one whose reference has no available value',
    file: { env: { TOKEN: '${secret:TOKEN}', MODE: 'fast' } },
    deployed: { env: { TOKEN: 'unknown' } },
    changed: ['env'],
    body: { env: { TOKEN: 'unknown', MODE: 'fast' } },
  },
  {
    what: 'a missing variable whose reference has no available value',
    file: { env: { TOKEN: '${secret:TOKEN}' } },
    changed: ['env'],
  },
  { what: 'a service that omits the type', deployed: { type: undefined } },
  { what: 'equal settings for GPUs', gpu: true, local: true, file: LOCAL_GPU, deployed: LOCAL_GPU },
  { what: 'settings of x-local that stay in the file', local: true, file: { 'x-local': { inputSchema: 'a.json' } } },
  {
    what: 'a new setting for GPUs',
    ...{ gpu: true, local: true, file: LOCAL_GPU },
    changed: ['x-local'],
    body: LOCAL_GPU,
  },
  {
    what: 'a removed setting for GPUs',
    ...{ gpu: true, local: true, deployed: LOCAL_GPU },
    changed: ['x-local'],
    body: { 'x-local': {} },
  },
  { what: 'the setting for GPUs on a hosted platform, which does not receive it', gpu: true, file: LOCAL_GPU },
  { what: 'the setting for GPUs that another client has sent to a hosted platform', gpu: true, deployed: LOCAL_GPU },
];

function compare({ file = {}, deployed = {}, gpu, local }: Case, language: 'yaml' | 'json') {
  const value = { ...(gpu ? gpuFile : cpuFile), ...file };
  const text = language === 'json' ? JSON.stringify(value) : stringify(value);
  const target = local ? 'local' : 'hosted';
  const [part] = readManifestFile(text, { language, target }).parts;
  assert.deepEqual(
    part?.problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  const endpoint = Endpoint.parse({ ...(gpu ? gpuEndpoint : cpuEndpoint), ...deployed });
  assert.ok(part.manifest);
  const body = bodyOf(part.manifest, { target, folder: '/srv' });
  return { comparison: compareWithEndpoint(body, comparableEndpoint(endpoint, target), hidden), endpoint };
}

describe('Comparison of a manifest with its endpoint', () => {
  for (const language of ['yaml', 'json'] as const)
    for (const one of cases) {
      const { what, changed = [], body = {} } = one;
      it(`${language}: ${changed.length === 0 ? 'ignores' : 'reports'} ${what}`, () => {
        const { comparison, endpoint } = compare(one, language);
        assert.deepEqual(comparison.changes.map(({ field }) => field).sort(), [...changed].sort());
        assert.deepEqual(comparison.body, body);
        assert.deepEqual(comparison.refused, []);
        assert.deepEqual(checkUpdateEndpoint(comparison.body, endpoint), []);
      });
    }

  it('refuses another type and another hardware family, with the field of each', () => {
    const typed = compare(
      { what: '', file: { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } } },
      'yaml',
    );
    assert.deepEqual(
      typed.comparison.refused.map(({ code, path }) => [code, path]),
      [['typeChanged', ['type']]],
    );
    const value = { ...gpuFile };
    const [part] = readManifestFile(stringify(value), { language: 'yaml', target: 'hosted' }).parts;
    assert.ok(part?.manifest);
    const body = bodyOf(part.manifest, { target: 'hosted', folder: undefined });
    const { refused } = compareWithEndpoint(body, Endpoint.parse(cpuEndpoint), hidden);
    assert.deepEqual(
      refused.map(({ code, path }) => [code, path]),
      [['hardwareFamilyChanged', ['gpu']]],
    );
  });

  it('names the missing variables whose values are not available', () => {
    const one = { what: '', file: { env: { TOKEN: '${secret:TOKEN}', MODE: 'fast' } } };
    const { comparison } = compare(one, 'json');
    assert.deepEqual(comparison.unresolved, ['TOKEN']);
    assert.deepEqual(comparison.body, { env: { MODE: 'fast' } });
  });
});
