import assert from 'node:assert/strict';
import { LONGEST_MANIFEST, MOST_PROBLEMS } from '../../../src/features/manifest/manifestBounds.ts';
import { readManifest } from '../../../src/features/manifest/manifestDocument.ts';

const read = (text: string) => readManifest(text, { language: 'yaml', report: 'all', target: 'hosted' });
const messages = (text: string) => read(text).problems.map(({ message }) => message);
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

/** Each level holds the one before nine times: two billion values from ten lines. */
const laughs = lines(10, (level) => `k${level}: &k${level} [${level === 0 ? 'x' : `*k${level - 1},`.repeat(9)}]\n`);
/** Merging a merged map merges it again: 2^14 times for fifteen levels. */
const merges = lines(15, (level) =>
  level === 0 ? 'k0: &k0 {x: 1}\n' : `k${level}: &k${level}\n  <<: [*k${level - 1}, *k${level - 1}]\n`,
);

describe('a manifest that is too much to read', () => {
  it('has aliases that stand for too many values', () => {
    assert.deepEqual(messages(laughs), ['Aliases make this larger than 50000 values, which no endpoint needs']);
    assert.deepEqual(messages(merges), ['Aliases make this larger than 50000 values, which no endpoint needs']);
  });

  it('has more aliases than an endpoint needs', () => {
    assert.deepEqual(messages(`- &a 1\n${'- *a\n'.repeat(1_000)}`), ['This is alias 201; no endpoint needs that many']);
  });

  it('is nested too deeply, also by its aliases', () => {
    const message = 'This is nested more than 32 levels deep, which no endpoint needs';
    assert.deepEqual(messages(`a: ${'['.repeat(40)}${']'.repeat(40)}`), [message]);
    assert.deepEqual(messages('- '.repeat(10_000)), [message]);
    const chain = lines(100, (level) => `k${level}: &k${level} [${level === 0 ? 'x' : `*k${level - 1}`}]\n`);
    assert.equal(messages(chain)[0], message);
  });

  it('has a structure where the name of a property is due', () => {
    assert.equal(messages('? '.repeat(20))[0], 'The name of a property is a text');
    assert.equal(messages('a: &a [1]\n*a : 2\n')[0], 'The name of a property is a text');
  });

  it('has an alias without an anchor, or within it', () => {
    assert.deepEqual(messages('a: *b\n'), ['There is no anchor &b before this']);
    assert.deepEqual(messages('a: &a [*a]\n'), ['This stands within its own anchor &a']);
  });

  it('is longer than what is read', () => {
    const text = `# ${'x'.repeat(LONGEST_MANIFEST)}`;
    assert.deepEqual(messages(text), [
      `A manifest of ${text.length} characters is not read: it may have 65536 at most`,
    ]);
    assert.equal(read(text).manifest, undefined);
  });

  it('has more problems than are told, and says how many', () => {
    const unknown = messages(lines(1_000, (index) => `k${index}: 1\n`));
    assert.equal(unknown.length, MOST_PROBLEMS + 1);
    assert.match(unknown.at(-1) ?? '', /^90\d more problems are not shown$/);
    const broken = messages(lines(1_000, (index) => `k${index}: "b" c\n`));
    assert.equal(broken.length, MOST_PROBLEMS + 1);
  });

  it('tells the first of many properties that are given twice', () => {
    assert.equal(messages('a: 1\n'.repeat(1_000))[0], 'This property is given twice');
  });
});

describe('a manifest with aliases', () => {
  it('is read like one without them', () => {
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
