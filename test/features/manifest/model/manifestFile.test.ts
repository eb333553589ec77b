import assert from 'node:assert/strict';
import { fieldError } from '../../../../src/contract/violation.ts';
import { readManifestFile, type ReadOptions } from '../../../../src/features/manifest/model/manifestFile.ts';
import { problemsOf } from '../../../../src/features/manifest/model/problem.ts';
import { catalog } from './fixes/cases.ts';
import { hostedYaml, readOne } from './readOne.ts';

const good = `name: hello
type: QUEUE
image: example/hello:1
scaling:
  type: QUEUE_DELAY
  queueDelay: 4
cpu:
  - { id: cpu3c, vcpuCount: 2 }
`;

/** Returns the underlined text and the message of each problem. */
function marked(text: string, options: Partial<ReadOptions> = {}): [string, string][] {
  const { problems } = readOne(text, options);
  return problems.map(({ start, end, message }) => [text.slice(start, end), message]);
}

describe('readManifestFile', () => {
  it('accepts a valid manifest', () => {
    const { manifest, problems } = readOne(good);
    assert.deepEqual(problems, []);
    assert.equal(manifest?.name, 'hello');
  });

  it('marks an invalid value', () => {
    assert.deepEqual(marked(good.replace('QUEUE\n', 'CUE\n')), [['CUE', 'type: must be one of QUEUE, LOAD_BALANCER']]);
    assert.deepEqual(marked(good.replace('vcpuCount: 2', 'vcpuCount: 3')), [
      ['3', 'vcpuCount: must be a power of two'],
    ]);
  });

  it('reports fields, rules, hardware, and references together', () => {
    const wrong = good
      .replace('name: hello', 'nam: hello')
      .replace('cpu:\n', 'cpu:\n  - { id: cpu9, vcpuCount: 3 }\n  - { id: cpu3c, vcpuCount: 64 }\n')
      .concat('gpu: { pools: [ADA24], count: 0 }\nworkers: { min: 5 }\ntemplateId: gone\ntimeout: soon\n');
    const found = marked(wrong, {
      catalog,
      references: { missing: [{ kind: 'template', id: 'gone' }], podTemplates: [] },
    });
    const places = ['nam', 'nam: hello', '3', 'cpu9', '64', 'cpu', 'ADA24', '0', '5', 'gone', 'soon'];
    assert.deepEqual(found.map(([text]) => text).sort(), places.sort());
  });

  it('asks about a number of milliseconds that looks like seconds', () => {
    const asked = (timeout: number) => readOne(`${good}timeout: ${timeout}\n`).problems.map(({ message }) => message);
    assert.deepEqual(asked(60), ['timeout: 60 ms? The unit is milliseconds: 60 seconds are 60000']);
    assert.equal(asked(3600).length, 1);
    for (const sure of [1000, 2500, 60_000]) assert.deepEqual(asked(sure), []);
    assert.ok(readOne(`${good}timeout: 60\n`).manifest, 'the question rejects the manifest');
  });

  it('does not blame a field for the broken field beside it', () => {
    const wrong = good
      .replace('scaling:', 'gpu: yes\nworkers: { min: 5, max: many }\nscaling:')
      .replace('vcpuCount: 2', 'vcpuCount: no');
    assert.deepEqual(
      marked(wrong.replace('image: example/hello:1', 'image: 5'), { catalog, target: 'local' }).map(([text]) => text),
      ['5', 'many', 'yes', 'no'],
    );
  });

  it('marks the key of an invalid value that spans lines', () => {
    const text = good.replace('image: example/hello:1', 'image:\n  - a\n  - b');
    assert.deepEqual(marked(text), [['image', 'image: expected string, received array']]);
  });

  it('marks the key of an empty value', () => {
    assert.deepEqual(marked(good.replace('name: hello', 'name:')), [['name', 'name: expected string, received null']]);
  });

  it('marks the name of an unknown property and suggests a similar name', () => {
    assert.deepEqual(marked(good + 'color: red\n'), [['color', "Unknown property 'color'"]]);
    assert.deepEqual(marked(good + 'worker: {}\n'), [['worker', "Unknown property 'worker'; did you mean 'workers'?"]]);
    assert.deepEqual(marked(good.replace('queueDelay: 4', 'queueDelay: 4\n  quueDelay: 4')), [
      ['quueDelay', "Unknown property 'quueDelay'; did you mean 'queueDelay'?"],
    ]);
    assert.deepEqual(marked(good.replace('vcpuCount: 2', 'vcpuCount: 2, vcpus: 1')), [
      ['vcpus', "Unknown property 'vcpus'"],
    ]);
  });

  it('does not suggest a property of another object', () => {
    const scaling = '{ type: REQUEST_COUNT, requestCount: 1, queueDelay: 4 }';
    assert.deepEqual(marked(good.replace(/scaling:\n.+\n.+\n/, `scaling: ${scaling}\n`)), [
      ['queueDelay', "Unknown property 'queueDelay'"],
    ]);
  });

  it('marks the nearest existing parent of a missing property', () => {
    assert.deepEqual(marked(good.replace('  queueDelay: 4\n', '')), [
      ['scaling', "'queueDelay' is missing: expected number"],
    ]);
    assert.deepEqual(marked(good.replace('type: QUEUE\n', '')), [
      ['name: hello', "'type' is missing: expected one of QUEUE, LOAD_BALANCER"],
    ]);
  });

  it('marks the first line that is not a comment', () => {
    const text = '# an endpoint\n\nname: hello\n';
    assert.deepEqual(new Set(marked(text).map(([place]) => place)), new Set(['name: hello']));
  });

  it('marks a rule violation that involves several members', () => {
    assert.deepEqual(marked(good.replace('type: QUEUE\n', 'type: LOAD_BALANCER\n')), [
      ['QUEUE_DELAY', 'type: QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT'],
    ]);
  });

  it('explains how to write a number as a string', () => {
    assert.deepEqual(marked(good + 'env:\n  PORT: 80\n  1: x\n'), [
      ['80', 'PORT: expected string, received number; put it in quotes'],
    ]);
  });

  it('marks a YAML syntax error at its position', () => {
    const [place] = marked('name: hello\n\ttype: QUEUE\n');
    assert.equal(place?.[0], '\t');
    assert.match(place[1], /Tabs are not allowed/);
    assert.deepEqual(marked('name: "hello\n').length, 1);
    assert.deepEqual(marked('name: [1').length, 1);
  });

  it('reports a duplicate property', () => {
    assert.deepEqual(marked(good + 'name: again\n'), [['name', 'Duplicate property']]);
  });

  it('reports a document that is not a mapping', () => {
    for (const [text, kind] of [
      ['hello', 'a single value'],
      ['- a\n- b\n', 'a list'],
    ] as const) {
      const [problem] = marked(text);
      assert.match(problem?.[1] ?? '', new RegExp(kind));
      assert.equal(problem?.[0], text.split('\n')[0]);
    }
  });

  it('reports an empty file', () => {
    for (const text of ['', '\n\n', '# only a comment\n'])
      assert.match(marked(text)[0]?.[1] ?? '', /The file is empty/);
  });

  it('reads each document of a file', () => {
    const { parts } = readManifestFile(`${good}---\n${good.replace('hello', 'other')}---\n# nothing\n`, hostedYaml);
    assert.deepEqual(
      parts.map(({ index, manifest }) => [index, manifest?.name]),
      [
        [0, 'hello'],
        [1, 'other'],
      ],
    );
  });

  it('marks a problem in its own document', () => {
    const text = `${good}---\n${good.replace('QUEUE\n', 'CUE\n')}`;
    const { parts, problems } = readManifestFile(text, hostedYaml);
    assert.ok(parts[0]?.manifest, 'the first document is valid');
    assert.equal(parts[1]?.manifest, undefined);
    assert.deepEqual(
      problems.map(({ part, start, end }) => [part, text.slice(start, end)]),
      [[1, 'CUE']],
    );
  });

  it('resolves anchors and merge keys', () => {
    const text = `name: &n hello
type: QUEUE
image: example/hello:1
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
cpu:
  - &small { id: *n, vcpuCount: 2 }
  - <<: *small
    vcpuCount: 4
`;
    const { manifest, problems } = readOne(text);
    assert.deepEqual(problems, []);
    assert.deepEqual(manifest?.cpu, [
      { id: 'hello', vcpuCount: 2 },
      { id: 'hello', vcpuCount: 4 },
    ]);
  });

  it('marks a value that a merge key supplies where it is written', () => {
    const items = '  - &odd { id: cpu3c, vcpuCount: 3 }\n  - <<: *odd\n    id: cpu5c\n';
    const text = good.replace(/ {2}- \{.*\n/, items);
    const { problems } = readOne(text);
    assert.deepEqual(
      problems.map(({ violation, start }) => [violation?.path, start]),
      [0, 1].map((index) => [['cpu', index, 'vcpuCount'], text.indexOf('3 }')]),
    );
  });

  it('marks an alias without an anchor', () => {
    assert.deepEqual(marked(good.replace('name: hello', 'name: *unknown'))[0]?.[0], '*unknown');
  });

  it('marks a value inside an anchored node', () => {
    const text = good.replace('cpu:\n', 'cpu:\n  - &c { id: cpu5c, vcpuCount: 5 }\n');
    assert.deepEqual(marked(text), [['5', 'vcpuCount: must be a power of two']]);
  });

  it('accepts Windows line breaks', () => {
    const text = good.replaceAll('\n', '\r\n');
    assert.deepEqual(marked(text), []);
    assert.deepEqual(marked(text.replace('type: QUEUE\r\n', '')), [
      ['name: hello', "'type' is missing: expected one of QUEUE, LOAD_BALANCER"],
    ]);
  });

  describe('with JSON', () => {
    const value = {
      name: 'hello',
      type: 'QUEUE',
      image: 'example/hello:1',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    };
    const json = (change: object = {}) => JSON.stringify({ ...value, ...change }, null, '\t');

    it('accepts tabs', () => {
      assert.deepEqual(marked(json(), { language: 'json' }), []);
    });

    it('accepts comments and trailing commas', () => {
      const text = '// mine\n' + json().replace(/\n}$/, ',\n}');
      assert.deepEqual(marked(text, { language: 'json' }), []);
    });

    it('accepts a byte order mark', () => {
      assert.deepEqual(marked(`\uFEFF${json()}`, { language: 'json' }), []);
    });

    it('reports a duplicate property', () => {
      const text = json().replace('{', '{ "name": "first",');
      assert.deepEqual(marked(text, { language: 'json' }), [['"name"', 'Duplicate property']]);
    });

    it('keeps a variable named __proto__', () => {
      const text = json().replace('{', '{ "env": { "__proto__": "x" },');
      const { env = {} } = readOne(text, { language: 'json' }).manifest ?? {};
      assert.deepEqual(Object.entries(env), [['__proto__', 'x']]);
    });

    it('marks a syntax error at its position', () => {
      const text = json().replace('"type"', 'type');
      const [problem] = readOne(text, { language: 'json' }).problems;
      assert.equal(problem && text.slice(problem.start, problem.end), 'type');
      assert.equal(problem?.code, 'syntax');
    });
  });

  describe('with a target platform', () => {
    const localOnly = good.replace('image: example/hello:1', 'x-local: { directory: ., command: run }');

    it('requires an image for a hosted platform', () => {
      assert.deepEqual(marked(localOnly, { target: 'local' }), []);
      assert.deepEqual(marked(localOnly, { target: 'hosted' }), [
        ['name: hello', "'image' is missing: set image or templateId"],
      ]);
    });

    it('hints that the local platform needs an engine for an image', () => {
      const { problems, manifest } = readOne(good, { target: 'local' });
      assert.deepEqual(
        problems.map(({ severity, start, end }) => [severity, good.slice(start, end)]),
        [['hint', 'example/hello:1']],
      );
      assert.ok(manifest, 'a hint does not reject the manifest');
      const processImage = good.replace('example/hello:1', 'process:/w');
      assert.deepEqual(marked(processImage, { target: 'local' }), []);
    });
  });
});

describe('problems that a platform reports', () => {
  it('keep the wording of the platform', () => {
    const read = readOne(good);
    const message = (path: string[], told: string) =>
      read.problemOf(fieldError(path, 'serviceMessage', { message: told })).message;
    assert.equal(message(['name'], "unknown property 'name'"), "name: unknown property 'name'");
    assert.equal(message(['name'], 'expected string, received number'), 'name: expected string, received number');
    assert.equal(message(['disk'], 'missing: expected number'), "'disk': missing: expected number");
  });

  it('are limited to 100, with the number of the others', () => {
    const violations = Array.from({ length: 100_000 }, (_, index) =>
      fieldError([`x${index}`], 'serviceMessage', { message: 'is wrong' }),
    );
    let placed = 0;
    const read = readOne(good);
    const problems = problemsOf(violations, (violation) => {
      placed++;
      return read.problemOf(violation);
    });
    assert.deepEqual([problems.length, placed], [101, 100]);
    assert.equal(problems.at(-1)?.message, 'Problems that are not shown: 99900');
  });
});
