import assert from 'node:assert/strict';
import { accepted, completion, completions, labels, marked } from './atCursor.ts';
import { live } from './liveSample.ts';

describe('completed values of the contract', () => {
  it('are the values of an enumeration, with the default preselected', () => {
    const offered = completions(marked('flashboot: |'));
    assert.deepEqual(
      offered.map(({ label, detail, preselect }) => [label, detail, preselect]),
      [
        ['OFF', 'default', true],
        ['FLASHBOOT', undefined, false],
        ['PRIORITY_FLASHBOOT', undefined, false],
      ],
    );
  });

  it('are the settings for the local platform', () => {
    assert.deepEqual(labels('x-local:\n  |'), ['directory', 'command', 'gpu', 'preload', 'inputSchema']);
    assert.deepEqual(labels('x-local:\n  gpu: |'), ['ignore']);
    assert.deepEqual(labels('{"x-local": {"gpu": "|"}}'), ['ignore']);
  });

  it('are defaults and examples, with durations in words', () => {
    const offered = completions(marked('{"timeout": |}'));
    assert.deepEqual(
      offered.map(({ label, detail }) => [label, detail]),
      [
        ['300000', 'default · 5 min'],
        ['600000', 'example · 10 min'],
      ],
    );
  });

  it('are true and false once, also if one is the example', () => {
    assert.deepEqual(labels('x-gate:\n  require: |'), ['true', 'false']);
  });

  it('are examples and null for an ID, without live values', () => {
    assert.deepEqual(labels('registry: |'), ['null', 'clx8h2k3f0001l708a9b2c3d4']);
  });

  it('are examples of a map after a colon', () => {
    assert.equal(
      accepted('scaling: |\n', '{"type":"QUEUE_DELAY","queueDelay":4}'),
      'scaling: \n  type: QUEUE_DELAY\n  queueDelay: 4\n',
    );
    assert.equal(accepted('{"workers": |}', 'New workers'), '{"workers": {}}');
    assert.deepEqual(labels('scaling: |\n  type: QUEUE_DELAY\n'), []);
  });
});

describe('completed references in env', () => {
  it('begin with the stored secrets', () => {
    const stored = { secretNames: ['API_TOKEN', 'db.password'] };
    assert.deepEqual(labels('env:\n  TOKEN: |', stored), [
      '${secret:API_TOKEN}',
      '${secret:db.password}',
      '${env:…}',
      '${secret:…}',
    ]);
    assert.equal(
      accepted('{"env": {"TOKEN": "|"}}', '${secret:db.password}', stored),
      '{"env": {"TOKEN": "${secret:db.password}"}}',
    );
  });

  it('are offered for each kind', () => {
    assert.deepEqual(labels('env:\n  TOKEN: |'), ['${env:…}', '${secret:…}']);
    assert.deepEqual(labels('{"env": {"TOKEN": "|"}}'), ['${env:…}', '${secret:…}']);
    assert.deepEqual(labels('name: |'), ['hello']);
  });

  it('are quoted where it is necessary', () => {
    assert.equal(accepted('env:\n  TOKEN: |', '${env:…}'), 'env:\n  TOKEN: ${env:NAME}');
    assert.equal(accepted('env:\n  TOKEN: "|"', '${env:…}'), 'env:\n  TOKEN: "${env:NAME}"');
    assert.equal(accepted('env: { TOKEN: | }', '${secret:…}'), "env: { TOKEN: '${secret:NAME}' }");
    assert.equal(accepted('{"env": {"TOKEN": "$|"}}', '${env:…}'), '{"env": {"TOKEN": "${env:NAME}"}}');
  });
});

describe('completed live values', () => {
  /** Returns the label and the detail of each completion. */
  const details = (source: string) => completions(marked(source), live).map(({ label, detail }) => [label, detail]);

  it('are GPU pools with memory, price, and availability, with unavailable ones last', () => {
    assert.deepEqual(details('gpu:\n  pools:\n    - |'), [
      ['ADA_24', '24 GB · from $0.43/h · high availability'],
      ['AMPERE_80', '80 GB · $1.19/h · not available'],
    ]);
    const { documentation } = completion('gpu:\n  pools:\n    - |', 'ADA_24', live);
    assert.match(documentation?.source ?? '', /RTX 4090 \| 24 GB/);
  });

  it('are the GPU types of the chosen pools', () => {
    assert.deepEqual(details('gpu:\n  pools: [ADA_24]\n  excludedTypes:\n    - |'), [
      ['NVIDIA GeForce RTX 4090', '24 GB · $0.69/h · ADA_24'],
      ['NVIDIA L4', '24 GB · $0.43/h · ADA_24'],
    ]);
    assert.deepEqual(labels('gpu:\n  excludedTypes:\n    - NVIDIA |', live).length, 3);
    assert.deepEqual(labels('gpu:\n  pools: [ADA_24]\n  excludedTypes: [NVIDIA L4, |]', live), [
      'NVIDIA GeForce RTX 4090',
    ]);
  });

  it('are CUDA versions in quotation marks, the highest available one first', () => {
    assert.deepEqual(details('gpu:\n  pools: [ADA_24]\n  minCudaVersion: |'), [
      ['12.11', 'available'],
      ['12.4', 'available'],
    ]);
    assert.deepEqual(details('gpu:\n  pools: [AMPERE_80]\n  allowedCudaVersions: [|]'), [
      ['12.4', 'available'],
      ['12.11', 'no host available'],
    ]);
    assert.equal(accepted('gpu:\n  minCudaVersion: |', '12.4', live), "gpu:\n  minCudaVersion: '12.4'");
    assert.equal(accepted('{"gpu": {"minCudaVersion": 12.|}}', '12.4', live), '{"gpu": {"minCudaVersion": "12.4"}}');
  });

  it('are CPU flavors with their range, memory, and price', () => {
    assert.deepEqual(details('cpu:\n  - id: |'), [
      ['cpu3c', '2 to 8 vCPUs · 2 GB per vCPU · $0.04/h per vCPU'],
      ['cpu5g', '4 to 16 vCPUs · 4 GB per vCPU · $0.06/h per vCPU'],
    ]);
  });

  it('are the vCPU counts of the flavor', () => {
    assert.deepEqual(details('cpu:\n  - id: cpu5g\n    vcpuCount: |'), [
      ['4', '16 GB · $0.24/h'],
      ['8', '32 GB · $0.48/h'],
      ['16', '64 GB · $0.96/h'],
    ]);
    assert.deepEqual(labels('{"cpu": [{"id": "cpu3c", "vcpuCount": |}]}', live), ['2', '4', '8']);
  });

  it('exclude a count that the flavor has already', () => {
    const source = 'cpu:\n  - id: cpu3c\n    vcpuCount: 2\n  - id: cpu3c\n    vcpuCount: |';
    assert.deepEqual(labels(source, live), ['4', '8']);
  });

  it('are data centers with name and region', () => {
    assert.deepEqual(details('dataCenterIds: [|]'), [
      ['EU-RO-1', 'Romania 1 · Europe'],
      ['US-KS-2', 'Kansas 2 · North America'],
    ]);
  });

  it('are names that stand for IDs', () => {
    assert.deepEqual(details('registry: |'), [
      ['Docker Hub', 'reg_1'],
      ['null', undefined],
    ]);
    assert.equal(accepted('registry: |', 'Docker Hub', live), 'registry: reg_1');
    assert.equal(accepted('templateId: |', 'vLLM worker', live), 'templateId: tpl_1');
    assert.equal(completion('templateId: |', 'vLLM worker', live).filterText, 'vLLM worker tpl_1');
    assert.deepEqual(details('mounts:\n  network:\n    - volumeId: |'), [
      ['models', 'vol_1 · 50 GB · EU-RO-1'],
      ['data', 'vol_2 · 10 GB · US-KS-2'],
    ]);
    assert.equal(
      accepted('{"mounts": {"global": [{"volumeId": "|"}]}}', 'shared', live),
      '{"mounts": {"global": [{"volumeId": "gsb_1"}]}}',
    );
  });

  it('exclude volumes that are mounted already', () => {
    const source = 'mounts:\n  network:\n    - volumeId: vol_1\n      path: /a\n    - volumeId: |\n';
    assert.deepEqual(labels(source, live), ['data']);
    assert.deepEqual(labels('networkVolumes: [vol_2, |]', live), ['models']);
  });

  it('are lists with one item after a colon', () => {
    assert.equal(accepted('gpu:\n  pools: |', 'ADA_24', live), 'gpu:\n  pools: [ADA_24]');
    assert.equal(accepted('{"gpu": {"pools": |}}', 'ADA_24', live), '{"gpu": {"pools": ["ADA_24"]}}');
  });

  it('keep foreign text out of the structure of the manifest', () => {
    const hostile = { registries: [{ id: 'a: b\n${1:x} # "\'', name: 'evil' }] };
    assert.equal(accepted('registry: |', 'evil', hostile), 'registry: "a: b\\n${1:x} # \\"\'"');
  });
});
