import assert from 'node:assert/strict';
import { LONGEST_MANIFEST, MAX_PROBLEMS } from '../../../../../src/features/manifest/model/text/bounds.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import { readOne } from '../readOne.ts';

const read = (text: string) => readOne(text);
const messages = (text: string) => read(text).problems.map(({ message }) => message);
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

/** Each level contains the previous one nine times: two billion values from ten lines. */
const billionLaughs = lines(
  10,
  (level) => `k${level}: &k${level} [${level === 0 ? 'x' : `*k${level - 1},`.repeat(9)}]\n`,
);
/** Each level merges the previous one twice: 2^14 merges for fifteen levels. */
const nestedMerges = lines(15, (level) =>
  level === 0 ? 'k0: &k0 {x: 1}\n' : `k${level}: &k${level}\n  <<: [*k${level - 1}, *k${level - 1}]\n`,
);

describe('readManifestFile with excessive text', () => {
  it('rejects aliases that expand to too many values', () => {
    assert.deepEqual(messages(billionLaughs), ['Aliases expand this manifest to more than 50000 values']);
    assert.deepEqual(messages(nestedMerges), ['Aliases expand this manifest to more than 50000 values']);
  });

  it('rejects merged maps that expand to too many values, after other problems', () => {
    const duplicates = 'a: 1\n'.repeat(MAX_PROBLEMS + 2);
    assert.equal(messages(duplicates + nestedMerges).at(-1), 'Aliases expand this manifest to more than 50000 values');
  });

  it('rejects a merge key without a map', () => {
    const message = 'A merge key takes a map, or a list of maps';
    for (const text of ['<<: text\n', '<<:\n', '<<: [[a: 1]]\n', 'a: &a 1\n<<: *a\n', 'a: &a [1]\nb:\n  <<: *a\n'])
      assert.deepEqual(messages(text), [message], text);
    assert.ok(!messages('a: &a [{b: 1}]\nc:\n  <<: *a\n').includes(message));
  });

  it('has no tree for nesting that is too deep', () => {
    const deep = '['.repeat(1_000);
    for (const language of ['yaml', 'json'] as const)
      for (const text of [`{"a": ${deep}`, `{"a": ${deep}${']'.repeat(1_000)}}`])
        assert.equal(parseManifestFile(text, language).parts[0]?.root, undefined);
  });

  it('has no span after the end of the text', () => {
    const { root, end } = parseManifestFile('a: { b: c{ }\n', 'yaml').parts[0] ?? {};
    assert.deepEqual([root?.end, end], [13, 13]);
    assert.equal(parseManifestFile('{/*', 'json').parts[0]?.root?.end, 3);
  });

  it('rejects too many aliases', () => {
    assert.deepEqual(messages(`- &a 1\n${'- *a\n'.repeat(1_000)}`), ['A manifest can have at most 200 aliases']);
  });

  it('rejects nesting that is too deep, with or without aliases', () => {
    const message = 'Nesting is limited to 32 levels';
    assert.deepEqual(messages(`a: ${'['.repeat(40)}${']'.repeat(40)}`), [message]);
    assert.deepEqual(messages('- '.repeat(10_000)), [message]);
    const chain = lines(100, (level) => `k${level}: &k${level} [${level === 0 ? 'x' : `*k${level - 1}`}]\n`);
    assert.equal(messages(chain)[0], message);
  });

  it('rejects a property name that is not a string', () => {
    assert.equal(messages('? '.repeat(20))[0], 'A property name must be a string');
    assert.equal(messages('a: &a [1]\n*a : 2\n')[0], 'A property name must be a string');
  });

  it('rejects an alias that has no anchor or is inside its own anchor', () => {
    assert.deepEqual(messages('a: *b\n'), ['No anchor &b is defined before this alias']);
    assert.deepEqual(messages('a: &a [*a]\n'), ['This alias is inside its own anchor &a']);
  });

  it('rejects text that is too long', () => {
    const text = `# ${'x'.repeat(LONGEST_MANIFEST)}`;
    assert.deepEqual(messages(text), [`This file has ${text.length} characters; the limit is 65536`]);
    assert.equal(read(text).manifest, undefined);
  });

  it('reports the first 100 problems and the number of the others', () => {
    const unknown = messages(lines(1_000, (index) => `k${index}: 1\n`));
    assert.equal(unknown.length, MAX_PROBLEMS + 1);
    assert.match(unknown.at(-1) ?? '', /^Problems that are not shown: 90\d$/);
    const broken = messages(lines(1_000, (index) => `k${index}: "b" c\n`));
    assert.equal(broken.length, MAX_PROBLEMS + 1);
  });

  it('rejects duplicate properties', () => {
    assert.equal(messages('a: 1\n'.repeat(1_000))[0], 'Duplicate property');
  });
});

describe('readManifestFile with aliases', () => {
  it('expands the aliases', () => {
    const text = `name: a
type: QUEUE
image: example/a:1
scaling: {type: QUEUE_DELAY, queueDelay: 4}
cpu:
  - &small {id: cpu3c, vcpuCount: 2}
env: &env {A: b}
x-local: {directory: ., command: node}
workers:
  min: 0
`;
    assert.deepEqual(messages(text), []);
    const { manifest } = read(text.replace('&env {A: b}', '&env {A: &v b, C: *v}'));
    assert.deepEqual(manifest?.env, { A: 'b', C: 'b' });
  });
});
