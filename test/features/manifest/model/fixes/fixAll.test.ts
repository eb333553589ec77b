import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { fixAll, isFixedByAll } from '../../../../../src/features/manifest/model/fixes/fixAll.ts';
import { isFixable } from '../../../../../src/features/manifest/model/fixes/fixesOf.ts';
import { readManifestFile, type ReadOptions } from '../../../../../src/features/manifest/model/manifestFile.ts';
import { catalog, fixCases } from './cases.ts';

function fixed(text: string, { language = 'yaml', target = 'hosted' }: Partial<ReadOptions> = {}): string {
  const options = { target, catalog };
  const file = readManifestFile(text, { ...options, language });
  return applyChanges(text, fixAll(file, options));
}

const manifest = `# mine
nam: hello # a name
type: load_balancer
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
image: example/a:1
gpu:
  pools: [ADA24] # cheap
networkVolumes: [a]
env:
  PORT: 80
`;

describe('fixAll', () => {
  it('corrects problems until none has a preferred correction, and keeps comments', () => {
    assert.equal(
      fixed(manifest),
      `# mine
name: hello # a name
type: LOAD_BALANCER
scaling: { type: REQUEST_COUNT, requestCount: 10 }
image: example/a:1
gpu:
  pools: [ADA_24] # cheap
env:
  PORT: "80"
mounts:
  network:
    - volumeId: a
      path: /data
`,
    );
  });

  it('corrects each endpoint of a file', () => {
    const text = `${manifest}---\n${manifest}`;
    assert.equal(fixed(text), `${fixed(manifest)}---\n${fixed(manifest)}`);
  });

  it('corrects JSON', () => {
    const json = '{\n  // mine\n  "name": 5,\n  "typ": "QUEUE",\n}\n';
    assert.equal(
      fixed(json, { language: 'json' }),
      `{
  // mine
  "name": "5",
  "type": "QUEUE",
  "scaling": {
    "type": "QUEUE_DELAY",
    "queueDelay": 4
  },
  "image": "registry.example.com/hello:1.0",
  "cpu": [
    {
      "id": "cpu3c",
      "vcpuCount": 2
    }
  ],
}
`,
    );
  });

  it('leaves no problem that has a preferred correction', () => {
    for (const { manifest: value, titles, target = 'hosted' } of fixCases)
      for (const language of ['yaml', 'json'] as const) {
        const text = language === 'json' ? JSON.stringify(value, null, 2) : stringify(value);
        const once = fixed(text, { language, target });
        const file = readManifestFile(once, { target, catalog, language });
        const left = file.problems.filter((problem) => isFixedByAll(problem) && isFixable(file, problem));
        assert.deepEqual(left, [], titles.join());
        assert.equal(fixed(once, { language, target }), once);
      }
  });

  it('corrects many values of several endpoints', () => {
    const numbers = Array.from({ length: 150 }, (_, index) => `  N${index}: ${index} # number ${index}\n`).join('');
    const text = fixed(manifest).replace('env:\n', `env:\n${numbers}`);
    const wanted = text.replaceAll(/^( {2}N\d+: )(\d+)/gm, '$1"$2"');
    assert.equal(fixed(`${text}---\n${text}`), `${wanted}---\n${wanted}`);
  });

  it('raises no number that costs', () => {
    const costs = `name: hello
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
image: example/a:1
cpu:
  - { id: cpu3c, vcpuCount: 3 }
disk: 0
timeout: 60
workers: { min: 5, max: 2.6, idleTimeout: 0 }
`;
    assert.equal(fixed(costs), costs);
    const gpus = costs.replace(/cpu:\n.*\n/, 'gpu: { pools: [ADA_24], count: 0 }\n').replace('2.6', '2');
    assert.equal(fixed(gpus), gpus);
  });

  it('makes no choice between corrections', () => {
    const text = fixed(manifest).replace('gpu:\n', 'cpu:\n  - { id: cpu3c, vcpuCount: 2 }\ngpu:\n');
    assert.equal(fixed(text), text);
  });

  it('leaves information about the platform', () => {
    const text = fixed(manifest);
    assert.equal(fixed(text, { target: 'local' }), text);
  });

  it('leaves text with syntax errors and empty text', () => {
    for (const text of ['', 'name: "a\n', '- a\n', 'name: [\n']) assert.equal(fixed(text), text);
  });
});
