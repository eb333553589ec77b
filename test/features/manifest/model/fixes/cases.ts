import type { HardwareCatalog } from '../../../../../src/contract/hardwareRules.ts';
import type { ViolationCode } from '../../../../../src/contract/violation.ts';

const maxCount = { secure: 8, community: 0 };

export const catalog: HardwareCatalog = {
  gpus: [
    { id: 'NVIDIA L4', pool: 'ADA_24', maxCount },
    { id: 'NVIDIA A5000', pool: 'AMPERE_24', maxCount },
    { id: 'NVIDIA RTX 4090', pool: 'ADA_24', maxCount },
  ],
  cpus: [
    { id: 'cpu3c', vcpu: { min: 2, max: 16 } },
    { id: 'cpu5c', vcpu: { min: 2, max: 32 } },
  ],
  dataCenters: [{ id: 'EU-RO-1' }, { id: 'US-KS-2' }],
};

const good = {
  name: 'hello',
  type: 'QUEUE',
  image: 'example/hello:1',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
};

/** Returns a valid manifest with other fields. A field that is undefined is left out. */
export const changed = (fields: object): object =>
  Object.fromEntries(Object.entries<unknown>({ ...good, ...fields }).filter(([, value]) => value !== undefined));

const withGpu = (gpu: object, fields: object = {}) =>
  changed({ cpu: undefined, gpu: { pools: ['ADA_24'], ...gpu }, ...fields });
const volume = (volumeId: string, path = '/data') => ({ volumeId, path });

export interface FixCase {
  readonly code: ViolationCode;
  readonly manifest: object;
  /** Titles of the corrections. A star marks the preferred one. */
  readonly titles: readonly string[];
  readonly target?: 'local';
}

/** Manifests with one problem each, or with one problem per code. */
export const fixCases: readonly FixCase[] = [
  {
    code: 'unknownField',
    manifest: changed({ worker: { min: 1 } }),
    titles: ["*Change to 'workers'", "Remove 'worker'"],
  },
  { code: 'unknownField', manifest: changed({ color: 'red' }), titles: ["*Remove 'color'"] },
  {
    code: 'unknownField',
    manifest: changed({ scaling: { type: 'QUEUE_DELAY', queueDelay: 4, quueDelay: 5 } }),
    titles: ["*Remove 'quueDelay'"],
  },
  { code: 'unknownField', manifest: changed({ workers: { color: 1 } }), titles: ["*Remove 'color'"] },
  { code: 'missingField', manifest: changed({ name: undefined }), titles: ["*Add 'name: hello'"] },
  {
    code: 'missingField',
    manifest: changed({ type: undefined }),
    titles: ["*Add 'type: QUEUE'", "Add 'type: LOAD_BALANCER'"],
  },
  {
    code: 'missingField',
    manifest: changed({ type: 'LOAD_BALANCER', scaling: undefined }),
    titles: [`*Add 'scaling: {"type":"REQUEST_COUNT","requestCount":10}'`],
  },
  {
    code: 'missingField',
    manifest: changed({ scaling: { type: 'REQUEST_COUNT' } }),
    titles: ["*Add 'requestCount: 10'"],
  },
  { code: 'missingField', manifest: changed({ cpu: [{ id: 'cpu3c' }] }), titles: ["*Add 'vcpuCount: 4'"] },
  { code: 'wrongType', manifest: changed({ env: { PORT: 80 } }), titles: ['*Put 80 in quotes', "Remove 'PORT'"] },
  { code: 'wrongType', manifest: changed({ env: { A: true } }), titles: ['*Put true in quotes', "Remove 'A'"] },
  { code: 'wrongType', manifest: changed({ env: { A: null } }), titles: ['*Change to an empty string', "Remove 'A'"] },
  {
    code: 'wrongType',
    manifest: changed({ image: null }),
    titles: ["*Remove 'image'", "Change to 'registry.example.com/hello:1.0'"],
  },
  { code: 'wrongType', manifest: changed({ name: null }), titles: ["*Change to 'hello'"] },
  { code: 'wrongType', manifest: changed({ workers: { max: '3' } }), titles: ['*Change to 3', "Remove 'max'"] },
  { code: 'wrongType', manifest: changed({ workers: { max: 1.7 } }), titles: ['Change to 2', "Remove 'max'"] },
  { code: 'wrongType', manifest: changed({ workers: { max: 'many' } }), titles: ['Change to 3', "Remove 'max'"] },
  {
    code: 'wrongType',
    manifest: changed({ workers: null }),
    titles: ["*Remove 'workers'", 'Change to {"min":0,"max":3,"idleTimeout":10}'],
  },
  { code: 'wrongType', manifest: changed({ args: ['a', 'b'] }), titles: ["*Change to 'cmd'", "Remove 'args'"] },
  { code: 'wrongType', manifest: changed({ args: ['a'] }), titles: ["*Change to 'a'", "Remove 'args'"] },
  { code: 'wrongType', manifest: changed({ cmd: "a 'b c'" }), titles: ['*Change to a list', "Remove 'cmd'"] },
  {
    code: 'wrongType',
    manifest: changed({ dataCenterIds: 'EU-RO-1, US-KS-2' }),
    titles: ['*Change to a list', "Remove 'dataCenterIds'"],
  },
  { code: 'wrongType', manifest: changed({ cpu: good.cpu[0] }), titles: ['*Change to a list', "Remove 'cpu'"] },
  {
    code: 'wrongType',
    manifest: changed({ cpu: undefined, gpu: 'ADA_24' }),
    titles: ['*Change to {"pools":["ADA_24"]}', "Remove 'gpu'"],
  },
  { code: 'wrongType', manifest: changed({ scaling: [good.scaling] }), titles: ['*Change to a map'] },
  {
    code: 'wrongType',
    manifest: changed({ env: [{ name: 'A', value: 1 }, 'B=c=d'] }),
    titles: ['*Change to a map', "Remove 'env'"],
  },
  { code: 'wrongType', manifest: changed({ env: 'A' }), titles: ['Change to {"LOG_LEVEL":"info"}', "Remove 'env'"] },
  {
    code: 'shortTime',
    manifest: changed({ timeout: 60 }),
    titles: ['Change to 60000 (60 s)', 'Change to 3600000 (60 min)'],
  },
  {
    code: 'notOneOf',
    manifest: changed({ type: 'queue' }),
    titles: ["*Change to 'QUEUE'", "Change to 'LOAD_BALANCER'"],
  },
  {
    code: 'notOneOf',
    manifest: changed({ flashboot: 'FAST' }),
    titles: ["Change to 'OFF'", "Change to 'FLASHBOOT'", "Change to 'PRIORITY_FLASHBOOT'"],
  },
  {
    code: 'notOneOf',
    manifest: changed({ scaling: { type: 'REQUEST_COUT', queueDelay: 4 } }),
    titles: ["*Change to 'REQUEST_COUNT'", "Change to 'QUEUE_DELAY'"],
  },
  {
    code: 'missingField',
    manifest: changed({ scaling: { queueDelay: 4 } }),
    titles: ["*Add 'type: QUEUE_DELAY'", "Add 'type: REQUEST_COUNT'"],
  },
  { code: 'tooSmall', manifest: changed({ workers: { min: -1 } }), titles: ['Change to 0'] },
  { code: 'tooSmall', manifest: changed({ name: '' }), titles: ["*Change to 'hello'"] },
  {
    code: 'tooSmall',
    manifest: changed({ templateId: '' }),
    titles: ["Change to 'xkhgg72fuo'", "Remove 'templateId'"],
  },
  {
    code: 'tooSmall',
    manifest: changed({ cpu: [] }),
    titles: ['Change to [{"id":"cpu3c","vcpuCount":2}]', "Remove 'cpu'"],
  },
  { code: 'tooBig', manifest: changed({ workers: { max: 10_001 } }), titles: ['*Change to 10000'] },
  {
    code: 'tooBig',
    manifest: changed({ dataCenterIds: Array.from({ length: 101 }, () => 'EU-RO-1') }),
    titles: ['Remove the items after the first 100', "Remove 'dataCenterIds'"],
  },
  { code: 'wrongFormat', manifest: changed({ ports: ['8000'] }), titles: ["*Change to '8000/http'", "Remove '8000'"] },
  {
    code: 'wrongFormat',
    manifest: changed({ ports: ['8000/TCP'] }),
    titles: ["*Change to '8000/tcp'", "Remove '8000/TCP'"],
  },
  { code: 'wrongFormat', manifest: withGpu({ minCudaVersion: '12' }), titles: ["*Change to '12.0'", "Remove '12'"] },
  {
    code: 'wrongFormat',
    manifest: withGpu({ minCudaVersion: 'v12.4.1' }),
    titles: ["*Change to '12.4'", "Remove 'v12.4.1'"],
  },
  { code: 'wrongFormat', manifest: withGpu({ minCudaVersion: 'new' }), titles: ["Change to '12.4'", "Remove 'new'"] },
  {
    code: 'wrongFormat',
    manifest: changed({ mounts: { network: [volume('a', 'data')] } }),
    titles: ["*Change to '/data'"],
  },
  {
    code: 'noAlternative',
    manifest: changed({ 'x-local': { directory: '.', command: 5 } }),
    titles: ['*Put 5 in quotes', 'Change to a list'],
  },
  {
    code: 'localCommandIncomplete',
    manifest: changed({ 'x-local': { directory: '.' } }),
    titles: ["*Add 'command: node handler.mjs'", "Remove 'directory'"],
  },
  {
    code: 'localCommandIncomplete',
    manifest: changed({ 'x-local': { gpu: 'ignore', command: ['node', 'a.mjs'] } }),
    titles: ["*Add 'directory: hello'", "Remove 'command'"],
  },
  {
    code: 'notAPowerOfTwo',
    manifest: changed({ cpu: [{ id: 'cpu3c', vcpuCount: 5 }] }),
    titles: ['*Change to 4', 'Change to 8'],
  },
  {
    code: 'notAPowerOfTwo',
    manifest: changed({ cpu: [{ id: 'cpu3c', vcpuCount: 3 }] }),
    titles: ['Change to 4', 'Change to 2'],
  },
  {
    code: 'portOutOfRange',
    manifest: changed({ ports: ['99999/http'] }),
    titles: ["*Change to '65535/http'", "Remove '99999/http'"],
  },
  { code: 'nulCharacter', manifest: changed({ env: { A: 'a\0b' } }), titles: ['*Remove the NUL characters'] },
  {
    code: 'nulCharacter',
    manifest: changed({ env: { 'A\0': 'b', '\0': 'c' } }),
    titles: ['*Remove the NUL characters'],
  },
  {
    code: 'repeatedGpuType',
    manifest: withGpu({ excludedTypes: ['NVIDIA L4', 'NVIDIA L4'] }),
    titles: ['*Remove the repeated GPU types'],
  },
  {
    code: 'imageMissing',
    manifest: changed({ image: undefined }),
    titles: ["*Add 'image: registry.example.com/hello:1.0'", "Add 'templateId: xkhgg72fuo'"],
  },
  { code: 'hardwareMissing', manifest: changed({ cpu: undefined }), titles: ["*Add 'cpu'", "Add 'gpu'"] },
  {
    code: 'hardwareMissing',
    manifest: changed({ cpu: undefined, mounts: { global: [volume('a')] } }),
    titles: ["*Add 'gpu'", "Add 'cpu'"],
  },
  { code: 'gpuAndCpu', manifest: changed({ gpu: { pools: ['ADA_24'] } }), titles: ['Keep gpu', 'Keep cpu'] },
  {
    code: 'scalerNeedsQueue',
    manifest: changed({ type: 'LOAD_BALANCER' }),
    titles: ["*Change to 'REQUEST_COUNT'", "Change the type to 'QUEUE'"],
  },
  {
    code: 'idleTimeoutUnused',
    manifest: changed({ scaling: { type: 'REQUEST_COUNT', requestCount: 1 }, workers: { idleTimeout: 5 } }),
    titles: ["*Remove 'idleTimeout'"],
  },
  {
    code: 'minAboveMax',
    manifest: changed({ workers: { min: 3, max: 1 } }),
    titles: ['Change min to 1', 'Change max to 3'],
  },
  {
    code: 'cudaConstraintsConflict',
    manifest: withGpu({ minCudaVersion: '12.4', allowedCudaVersions: ['12.6'] }),
    titles: ['Keep minCudaVersion', 'Keep allowedCudaVersions'],
  },
  {
    code: 'repeatedCpu',
    manifest: changed({ cpu: [...good.cpu, ...good.cpu] }),
    titles: ['*Remove the second cpu3c with 2 vCPUs'],
  },
  {
    code: 'argsUnreadable',
    manifest: changed({ args: "echo 'a" }),
    titles: [`*Change to 'echo 'a''`, "Remove 'args'"],
  },
  { code: 'argsUnreadable', manifest: changed({ args: '{"cmd": 1}' }), titles: ["Remove 'args'"] },
  {
    code: 'argsConflict',
    manifest: changed({ args: "a 'b c'", entrypoint: ['x'], cmd: ['y'] }),
    titles: ['Split args into entrypoint and cmd', 'Keep entrypoint and cmd', 'Keep args'],
  },
  {
    code: 'argsConflict',
    manifest: changed({ args: '{"entrypoint": ["a"], "cmd": ["b"]}', cmd: ['y'] }),
    titles: ['Split args into entrypoint and cmd', 'Keep cmd', 'Keep args'],
  },
  {
    code: 'networkAndGlobalMounts',
    manifest: withGpu({}, { mounts: { network: [volume('a')], global: [volume('b', '/b')] } }),
    titles: ['Keep the network volumes', 'Keep the global volume'],
  },
  {
    code: 'networkVolumesWithGlobalMount',
    manifest: withGpu({}, { networkVolumes: ['a'], mounts: { global: [volume('b')] } }),
    titles: ['Keep the global volume', 'Keep the network volumes'],
  },
  {
    code: 'networkVolumesWithMounts',
    manifest: changed({ networkVolumes: ['a', 'b'], mounts: { network: [volume('a')] } }),
    titles: ['*Move to mounts.network', "Remove 'networkVolumes'"],
  },
  {
    code: 'secondGlobalVolume',
    manifest: withGpu({}, { mounts: { global: [volume('a'), volume('b', '/b')] } }),
    titles: ["*Keep only the volume 'a'", "Keep only the volume 'b'"],
  },
  {
    code: 'globalVolumeWithoutGpu',
    manifest: changed({ mounts: { global: [volume('a')] } }),
    titles: ['*Remove the global volumes'],
  },
  {
    code: 'repeatedVolume',
    manifest: changed({ mounts: { network: [volume('a'), volume('a', '/b')] } }),
    titles: ["*Remove the second 'a'"],
  },
  { code: 'repeatedVolume', manifest: changed({ networkVolumes: ['a', 'a'] }), titles: ["*Remove the second 'a'"] },
  { code: 'deprecatedField', manifest: changed({ networkVolumes: ['a', 'b'] }), titles: ['*Move to mounts.network'] },
  {
    code: 'notAPort',
    manifest: changed({ ...balanced(), env: { PORT: '8000/http' } }),
    titles: ["*Change to '8000'", "Remove 'PORT'"],
  },
  {
    code: 'notAPort',
    manifest: changed({ ...balanced(), env: { PORT: 'http' } }),
    titles: ["*Change to '80'", "Remove 'PORT'"],
  },
  {
    code: 'relativeHealthPath',
    manifest: changed({ ...balanced(), env: { HEALTH_CHECK_PATH: 'ping' } }),
    titles: ["*Change to '/ping'"],
  },
  {
    code: 'unknownPool',
    manifest: withGpu({ pools: ['ADA24'] }),
    titles: ["*Change to 'ADA_24'", "Change to 'AMPERE_24'"],
  },
  {
    code: 'unknownPool',
    manifest: withGpu({ pools: ['ADA_24', 'HOPPER'] }),
    titles: ["Change to 'AMPERE_24'", "Remove 'HOPPER'"],
  },
  {
    code: 'unknownFlavor',
    manifest: changed({ cpu: [{ id: 'cpu4c', vcpuCount: 2 }] }),
    titles: ["*Change to 'cpu3c'", "Change to 'cpu5c'"],
  },
  {
    code: 'unknownDataCenter',
    manifest: changed({ dataCenterIds: ['eu-ro-1'] }),
    titles: ["*Change to 'EU-RO-1'", "Change to 'US-KS-2'", "Remove 'eu-ro-1'"],
  },
  { code: 'gpuCount', manifest: withGpu({ count: 9 }), titles: ['*Change to 8'] },
  {
    code: 'foreignExclusion',
    manifest: withGpu({ excludedTypes: ['NVIDIA A5000'] }),
    titles: ["*Remove 'NVIDIA A5000'"],
  },
  {
    code: 'foreignExclusion',
    manifest: withGpu({ excludedTypes: ['NVIDA L4'] }),
    titles: ["*Change to 'NVIDIA L4'", "Remove 'NVIDA L4'"],
  },
  {
    code: 'everythingExcluded',
    manifest: withGpu({ pools: ['AMPERE_24'], excludedTypes: ['NVIDIA A5000'] }),
    titles: ["Do not exclude 'NVIDIA A5000'", "Remove 'excludedTypes'"],
  },
  {
    code: 'vcpuCount',
    manifest: changed({ cpu: [{ id: 'cpu3c', vcpuCount: 64 }] }),
    titles: ['*Change to 16', 'Change to 8', 'Change to 4', 'Change to 2'],
  },
  {
    code: 'notARepository',
    manifest: changed({ 'x-build': { repository: 'Registry.example.com/Hello:1' } }),
    titles: ["*Change to 'registry.example.com/hello'", "Remove 'repository'"],
  },
  {
    code: 'notARepository',
    manifest: changed({ 'x-build': { repository: 'no repository' } }),
    titles: ["Remove 'repository'"],
  },
  {
    code: 'environmentName',
    manifest: changed({ 'x-environments': { 'Staging EU': {} } }),
    titles: ["*Change to 'staging-eu'", "Remove 'Staging EU'"],
  },
  {
    code: 'environmentsInPatch',
    manifest: changed({ 'x-environments': { staging: { patch: { 'x-environments': {} } } } }),
    titles: ["*Remove 'x-environments'"],
  },
  {
    code: 'nothingToRemove',
    manifest: changed({ 'x-environments': { staging: { patch: { imagee: null } } } }),
    titles: ["*Change to 'image'", "Remove 'imagee'"],
  },
  {
    code: 'referenceInBuildArg',
    manifest: changed({ 'x-build': { args: { TOKEN: '${secret:TOKEN}' } } }),
    titles: ["Remove 'TOKEN'"],
  },
  {
    code: 'keyInBuildArg',
    manifest: changed({ 'x-build': { args: { VERSION: '1', KEY: `hf_${'aB3'.repeat(12)}` } } }),
    titles: ["Remove 'KEY'"],
  },
  {
    code: 'verifyUnclear',
    manifest: changed({ 'x-verify': { timeout: 60 } }),
    titles: [`Add 'input: {"name":"Ada"}'`],
  },
  {
    code: 'verifyUnclear',
    manifest: changed({ ...balanced(), 'x-verify': { timeout: 60 } }),
    titles: [`Add 'request: verify.http'`],
  },
  {
    code: 'verifyUnclear',
    manifest: changed({ 'x-verify': { job: 'a.job.json', input: {} } }),
    titles: ["Remove 'job'", "Remove 'input'"],
  },
  {
    code: 'verifyUnclear',
    manifest: changed({ ...balanced(), 'x-verify': { input: {}, request: 'a.http' } }),
    titles: ["Remove 'input'", "Remove 'request'"],
  },
  {
    code: 'verifyExpectsTwice',
    manifest: changed({ 'x-verify': { job: 'a.job.json', expect: { error: 'x' } } }),
    titles: ["*Remove 'expect'"],
  },
  {
    code: 'verifyNeedsQueue',
    manifest: changed({ ...balanced(), 'x-verify': { input: {} } }),
    titles: ["*Remove 'x-verify'"],
  },
  {
    code: 'verifyNeedsBalancer',
    manifest: changed({ 'x-verify': { request: 'a.http' } }),
    titles: ["*Remove 'x-verify'"],
  },
  {
    code: 'gateNeedsQueue',
    manifest: changed({ ...balanced(), 'x-gate': { jobs: 3 } }),
    titles: ["*Remove 'x-gate'"],
  },
  {
    code: 'preloadNeedsPython',
    manifest: changed({ 'x-local': { directory: '.', command: 'node a.mjs', preload: ['model'] } }),
    titles: ["*Remove 'preload'"],
    target: 'local',
  },
  {
    code: 'alertOfOtherType',
    manifest: changed({ 'x-alerts': { p99: { of: 'latency', over: 2 } } }),
    titles: ["*Remove 'of'"],
  },
  { code: 'containerImageLocally', manifest: changed({}), titles: ["Add 'x-local'"], target: 'local' },
  {
    code: 'containerImageLocally',
    manifest: changed({ 'x-local': { gpu: 'ignore' } }),
    titles: ["Add 'directory' and 'command' to 'x-local'"],
    target: 'local',
  },
];

function balanced(): object {
  return { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } };
}
