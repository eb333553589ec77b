import assert from 'node:assert/strict';
import { accepted, completion, completions, labels, marked } from './atCursor.ts';

describe('the order of completed fields', () => {
  it('begins with the required fields and ends with deprecated ones', () => {
    const fields = labels('# An endpoint.\nimage: x\n|');
    assert.deepEqual(fields.slice(0, 3), ['name', 'type', 'scaling']);
    assert.equal(fields.at(-1), 'networkVolumes');
    assert.equal(completion('image: x\n|', 'networkVolumes').deprecated, true);
    assert.equal(completion('image: x\n|', 'mounts').deprecated, false);
  });

  /** Manifests in which a rule excludes a field or a value, in both formats. */
  const excluded: Record<string, [yaml: string, json: string, label: string, reason: string]> = {
    'gpu beside cpu': [
      'cpu:\n  - id: cpu3c\n    vcpuCount: 2\n|',
      '{"cpu": [{"id": "cpu3c", "vcpuCount": 2}], |}',
      'gpu',
      'gpu and cpu cannot be combined',
    ],
    'cpu beside gpu': [
      'gpu:\n  pools: [ADA_24]\n|',
      '{"gpu": {"pools": ["ADA_24"]}, |}',
      'cpu',
      'gpu and cpu cannot be combined',
    ],
    'cpu beside gpu below a half-typed name': [
      'c|\ngpu:\n  pools: [ADA_24]\n',
      '{"c|\n"name": "x", "gpu": {"pools": ["ADA_24"]}}',
      'cpu',
      'gpu and cpu cannot be combined',
    ],
    'gpu beside cpu at a half-typed name': [
      'timeout: 300000\ngp|\ncpu:\n  - id: cpu3c\n    vcpuCount: 2\n',
      '{"timeout": 300000, "gp|\n"cpu": [{"id": "cpu3c", "vcpuCount": 2}]}',
      'gpu',
      'gpu and cpu cannot be combined',
    ],
    'minCudaVersion beside allowedCudaVersions': [
      "gpu:\n  pools: [ADA_24]\n  allowedCudaVersions: ['12.4']\n  |",
      '{"gpu": {"pools": ["ADA_24"], "allowedCudaVersions": ["12.4"], |}}',
      'minCudaVersion',
      'minCudaVersion and allowedCudaVersions cannot be combined',
    ],
    'idleTimeout of a queue that scales on request count': [
      'type: QUEUE\nscaling:\n  type: REQUEST_COUNT\n  requestCount: 1\nworkers:\n  |',
      '{"type": "QUEUE", "scaling": {"type": "REQUEST_COUNT", "requestCount": 1}, "workers": {|}}',
      'idleTimeout',
      'does not apply to a QUEUE endpoint that scales on REQUEST_COUNT',
    ],
    'a global volume without GPUs': [
      'cpu:\n  - { id: cpu3c, vcpuCount: 2 }\nmounts:\n  |',
      '{"cpu": [{"id": "cpu3c", "vcpuCount": 2}], "mounts": {|}}',
      'global',
      'global volumes are for GPU endpoints only',
    ],
    'args beside cmd': [
      'cmd: [node, a.mjs]\n|',
      '{"cmd": ["node", "a.mjs"], |}',
      'args',
      'must be the same command as entrypoint and cmd',
    ],
    'cmd beside args': [
      'args: node a.mjs\n|',
      '{"args": "node a.mjs", |}',
      'cmd',
      'args: must be the same command as entrypoint and cmd',
    ],
    'mounts.network beside networkVolumes': [
      'networkVolumes: [a]\nmounts:\n  |',
      '{"networkVolumes": ["a"], "mounts": {|}}',
      'network',
      'networkVolumes: must list the same volumes as mounts.network',
    ],
    'QUEUE_DELAY of a LOAD_BALANCER': [
      'type: LOAD_BALANCER\nscaling:\n  type: |',
      '{"type": "LOAD_BALANCER", "scaling": {"type": "|"}}',
      'QUEUE_DELAY',
      'QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT',
    ],
  };
  for (const [name, [yaml, json, label, reason]] of Object.entries(excluded)) {
    for (const [language, source] of Object.entries({ YAML: yaml, JSON: json })) {
      it(`puts ${name} last and gives the reason, in ${language}`, () => {
        const offered = completions(marked(source));
        const found = completion(source, label);
        assert.equal(found.detail, reason);
        assert.ok(found.sortText.charAt(0) > completion('|', 'timeout').sortText.charAt(0));
        const after = offered.slice(offered.findIndex((one) => one.label === label));
        // Only fields that are excluded too, and deprecated ones, follow.
        assert.ok(after.every((one) => one.deprecated || one.sortText.startsWith(found.sortText.charAt(0))));
      });
    }
  }

  it('does not exclude a field that another value allows', () => {
    assert.equal(completion('workers:\n  min: 50\n  |', 'max').detail, 'integer');
  });

  it('does not exclude a map because of one of its fields', () => {
    const onRequestCount = 'type: QUEUE\nscaling: { type: REQUEST_COUNT, requestCount: 1 }\n|';
    assert.equal(completion(onRequestCount, 'workers').detail, 'object');
    assert.equal(completion('type: LOAD_BALANCER\n|', 'scaling').detail, 'object');
    assert.equal(completion('networkVolumes: [a]\n|', 'mounts').detail, 'object');
  });
});

describe('the text of a completed field in YAML', () => {
  const cases: Record<string, [source: string, label: string, expected: string]> = {
    'a text': ['|', 'name', 'name: '],
    'a number with its default': ['|', 'timeout', 'timeout: 300000'],
    'a map with the fields that it requires': ['|', 'gpu', 'gpu:\n  pools:\n    - '],
    'a map without required fields': ['|', 'workers', 'workers:\n  '],
    'a map of strings': ['|', 'env', 'env:\n  NAME: '],
    'a list of scalars': ['|', 'ports', 'ports:\n  - '],
    'a list of maps': ['|', 'cpu', 'cpu:\n  - id: \n    vcpuCount: 4'],
    'an alternative': ['|', 'scaling', 'scaling:\n  type: QUEUE_DELAY\n  queueDelay: 4'],
    'an alternative that fits the type': [
      'type: LOAD_BALANCER\n|',
      'scaling',
      'type: LOAD_BALANCER\nscaling:\n  type: REQUEST_COUNT\n  requestCount: 10',
    ],
    'a nested list': ['mounts:\n  |', 'network', 'mounts:\n  network:\n    - volumeId: \n      path: '],
    'an item without a dash': ['cpu:\n  |', 'id', 'cpu:\n  - id: '],
    'an item after a dash without a space': ['cpu:\n  -|', 'id', 'cpu:\n  - id: '],
    'a field in braces': ['gpu: {|}', 'pools', 'gpu: {pools: []}'],
    'a field in braces before another one': ['gpu: { |count: 1 }', 'count', 'gpu: { count: 1 }'],
    'a field in braces between others': [
      'workers: { min: 1, | max: 2 }',
      'idleTimeout',
      'workers: { min: 1, idleTimeout: 10, max: 2 }',
    ],
    'only a name if a colon follows': ['nam|e: x', 'image', 'image: x'],
    'only a name if a colon follows in braces': ['workers: { mi|n: 1 }', 'max', 'workers: { max: 1 }'],
    'a name in place of a half-typed one': ['na|\nimage: x\n', 'name', 'name: \nimage: x\n'],
    'with Windows line ends': ['image: x\r\n|\r\n', 'name', 'image: x\r\nname: \r\n'],
  };
  for (const [name, [source, label, expected]] of Object.entries(cases))
    it(`is ${name}`, () => assert.equal(accepted(source, label), expected));
});

describe('the text of a completed field in JSON', () => {
  const cases: Record<string, [source: string, label: string, expected: string]> = {
    'a text': ['{|}', 'name', '{"name": ""}'],
    'a number with its default': ['{|}', 'timeout', '{"timeout": 300000}'],
    'a map on one line': ['{|}', 'workers', '{"workers": {}}'],
    'a map on several lines': [
      '{\n  |\n}',
      'scaling',
      '{\n  "scaling": {\n    "type": "QUEUE_DELAY",\n    "queueDelay": 4\n  }\n}',
    ],
    'a map with the indentation of the file': [
      '{\n\t"name": "x",\n\t|\n}',
      'env',
      '{\n\t"name": "x",\n\t"env": {\n\t\t"NAME": ""\n\t}\n}',
    ],
    'a list of maps on several lines': [
      '{\n  |\n}',
      'cpu',
      '{\n  "cpu": [\n    {\n      "id": "",\n      "vcpuCount": 4\n    }\n  ]\n}',
    ],
    'a list of scalars': ['{\n  |\n}', 'ports', '{\n  "ports": [""]\n}'],
    'a comma before the next field': ['{| "name": "x"}', 'disk', '{"disk": 20, "name": "x"}'],
    'a comma after the previous field': ['{\n  "name": "x"\n  |\n}', 'disk', '{\n  "name": "x",\n  "disk": 20\n}'],
    'a field in place of a half-typed string': ['{"na|', 'name', '{"name": ""'],
    'a field in place of a half-typed word': ['{na|}', 'name', '{"name": ""}'],
    'only a name if a colon follows': ['{"na|me": "x"}', 'image', '{"image": "x"}'],
  };
  for (const [name, [source, label, expected]] of Object.entries(cases))
    it(`is ${name}`, () => assert.equal(accepted(source, label), expected));
});

describe('a completed field', () => {
  it('asks for its values afterwards, unless it has them', () => {
    assert.equal(completion('|', 'type').retrigger, true);
    assert.equal(completion('|', 'cpu').retrigger, true);
    assert.equal(completion('|', 'workers').retrigger, true);
    assert.equal(completion('|', 'timeout').retrigger, false);
    assert.equal(completion('|', 'env').retrigger, false);
    assert.equal(completion('nam|e: x', 'image').retrigger, false);
  });

  it('has the documentation of the contract', () => {
    const { documentation, detail } = completion('|', 'timeout');
    assert.equal(detail, 'integer');
    assert.match(documentation?.source ?? '', /Maximum execution time/);
  });

  it('names the alternative that requires it', () => {
    assert.equal(completion('scaling:\n  |', 'queueDelay').detail, 'number, with QUEUE_DELAY');
  });
});
