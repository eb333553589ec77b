import assert from 'node:assert/strict';
import type { ManifestEdit } from '../../../../../src/features/manifest/model/editing/editedValue.ts';
import { changesOf } from '../../../../../src/features/manifest/model/editing/changesOf.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';

interface Edited {
  readonly language?: ManifestLanguage;
  readonly part?: number;
}

/** Returns the text after edits, or undefined if they are not possible. */
function edited(text: string, edits: readonly ManifestEdit[], { language = 'yaml', part = 0 }: Edited = {}) {
  const { root } = parseManifestFile(text, language).parts[part] ?? {};
  const changes = changesOf({ text, language, root }, edits);
  return changes && applyChanges(text, changes);
}

const set = (path: (string | number)[], value: unknown): ManifestEdit => ({ kind: 'set', path, value });
const remove = (...path: (string | number)[]): ManifestEdit => ({ kind: 'remove', path });
const rename = (path: (string | number)[], name: string): ManifestEdit => ({ kind: 'rename', path, name });

describe('changesOf for YAML', () => {
  it('replaces a value and keeps the comment on its line', () => {
    assert.equal(
      edited('# a\nname:   a  # the name\ntype: b\n', [set(['name'], 'c')]),
      '# a\nname:   c  # the name\ntype: b\n',
    );
  });

  it('quotes strings that would be other types', () => {
    for (const text of ['80', 'yes', '12.4', 'null', ''])
      assert.equal(edited('a: b\n', [set(['a'], text)]), `a: "${text}"\n`);
  });

  it('keeps the quotation marks of a value and of a name', () => {
    assert.equal(edited(`'a': 'b'\n`, [set(['a'], "it's"), rename(['a'], 'c')]), `'c': 'it''s'\n`);
    assert.equal(edited(`a: 'b'\n`, [set(['c'], '80')]), `a: 'b'\nc: '80'\n`);
  });

  it('adds a field after the last one', () => {
    assert.equal(edited('a: 1 # one\n# end\n', [set(['b'], 2)]), 'a: 1 # one\nb: 2\n# end\n');
    assert.equal(edited('a: 1', [set(['b'], 2)]), 'a: 1\nb: 2');
  });

  it('adds a field with its missing parents in the indentation of the document', () => {
    assert.equal(
      edited('scaling:\n    type: A\n', [set(['workers', 'min'], 1), set(['cpu', 0, 'id'], 'x')]),
      'scaling:\n    type: A\nworkers:\n    min: 1\ncpu:\n    - id: x\n',
    );
  });

  it('adds a field to an empty value and keeps its comment', () => {
    assert.equal(edited('env: # none\na: 1\n', [set(['env', 'A'], 'b')]), 'env: # none\n  A: b\na: 1\n');
    assert.equal(edited('env: {} # none\na: 1\n', [set(['env', 'A'], 'b')]), 'env: # none\n  A: b\na: 1\n');
    assert.equal(edited('env:', [set(['env', 'A'], 'b')]), 'env:\n  A: b');
  });

  it('adds a field to an empty document', () => {
    assert.equal(edited('', [set(['a'], 1)]), 'a: 1\n');
    assert.equal(edited('# only a comment', [set(['a'], 1)]), '# only a comment\na: 1\n');
  });

  it('adds fields and items in braces and brackets', () => {
    assert.equal(edited('a: { b: 1 } # c\n', [set(['a', 'c'], [1, 'x, y'])]), 'a: { b: 1, c: [1, "x, y"] } # c\n');
    assert.equal(edited('a: [\n  b, # one\n]\n', [set(['a', 1], 'c')]), 'a: [\n  b, # one\n  c,\n]\n');
    assert.equal(edited('a: [\n  b # one\n]\n', [set(['a', 1], 'c')]), 'a: [\n  b, # one\n  c\n]\n');
  });

  it('adds an item in the style of the item before it', () => {
    assert.equal(edited('a:\n- { b: 1 }\n', [set(['a', 1], { b: 2 })]), 'a:\n- { b: 1 }\n- { b: 2 }\n');
    assert.equal(
      edited('a:\n- b: 1\n  c: 2\n', [set(['a', 1], { b: 2, c: 3 })]),
      'a:\n- b: 1\n  c: 2\n- b: 2\n  c: 3\n',
    );
  });

  it('replaces only the members that differ', () => {
    const text = 'a: # all\n  b: 1 # one\n  # two\n  c: 2\n  d:\n    - 3 # three\n    - 4\n';
    assert.equal(
      edited(text, [set(['a'], { b: 1, c: 5, d: [3, 6], e: 7 })]),
      'a: # all\n  b: 1 # one\n  # two\n  c: 5\n  d:\n    - 3 # three\n    - 6\n  e: 7\n',
    );
  });

  it('removes the surplus items of a list', () => {
    assert.equal(
      edited('a:\n  - 1 # one\n  - 2 # two\n  - 3 # three\n', [set(['a'], [1, 3])]),
      'a:\n  - 1 # one\n  - 3 # three\n',
    );
  });

  it('replaces a value by a map, and a map by a value', () => {
    assert.equal(edited('a: 1 # one\nb: 2\n', [set(['a'], { c: [3] })]), 'a: # one\n  c:\n    - 3\nb: 2\n');
    assert.equal(edited('a: # one\n  c: 3\nb: 2\n', [set(['a'], 1)]), 'a: 1 # one\nb: 2\n');
  });

  it('replaces block scalars', () => {
    assert.equal(edited('a: | # c\n  x\n  y\n\nb: 1\n', [set(['a'], 'z')]), 'a: z # c\n\nb: 1\n');
    assert.equal(edited('a: |\n  x\nb: 1\n', [set(['a'], 'y\n\nz\n')]), 'a: |\n  y\n\n  z\nb: 1\n');
    assert.equal(edited('a: |+\n  x\n\n', [set(['b'], 1)]), 'a: |+\n  x\n\nb: 1\n');
  });

  it('keeps the comments of the key and of the block scalar', () => {
    assert.equal(edited('a: # one\n  |- # two\n  x\n', [set(['a'], { b: [] })]), 'a: # one # two\n  b: []\n');
  });

  it('quotes a long text that a block scalar does not represent', () => {
    const text = `${'one line\n'.repeat(200)}\t`;
    assert.equal(edited('a: b\n', [set(['a'], text)]), `a: ${JSON.stringify(text)}\n`);
  });

  it('removes fields and items with the comment on their line', () => {
    assert.equal(
      edited('# a\na: 1 # one\nb:\n  - 2 # two\n  - 3\n', [remove('a'), remove('b', 0)]),
      '# a\nb:\n  - 3\n',
    );
    assert.equal(edited('a: 1\nb: 2', [remove('b')]), 'a: 1');
    assert.equal(edited('a: { b: 1, c: 2 }\n', [remove('a', 'b')]), 'a: { c: 2 }\n');
    assert.equal(edited('a: { b: 1, c: 2 }\n', [remove('a', 'c')]), 'a: { b: 1 }\n');
    assert.equal(edited('a: [\n  1, # one\n  2 # two\n]\n', [remove('a', 1)]), 'a: [\n  1 # one\n]\n');
  });

  it('removes the first field of an item', () => {
    assert.equal(edited('- id: x\n  v: 2\n', [remove(0, 'id')]), '- v: 2\n');
  });

  it('leaves an empty map or list after the last member', () => {
    assert.equal(edited('a: # one\n  b: 1\nc: 2\n', [remove('a', 'b')]), 'a: {} # one\nc: 2\n');
    assert.equal(edited('a:\n- 1\n', [remove('a', 0)]), 'a: []\n');
  });

  it('keeps Windows line breaks and a byte order mark', () => {
    assert.equal(edited('\uFEFFa: 1\r\nb: 2\r\n', [set(['c', 'd'], 3), remove('a')]), '\uFEFFb: 2\r\nc:\r\n  d: 3\r\n');
  });

  it('edits one of several documents', () => {
    assert.equal(
      edited('a: 1\n---\na: 1 # x\n---\na: 1\n', [set(['b'], 2)], { part: 1 }),
      'a: 1\n---\na: 1 # x\nb: 2\n---\na: 1\n',
    );
    assert.equal(edited('a: 1\n---\nb: 1\n', [remove('a')]), '{}\n---\nb: 1\n');
  });

  it('edits the other lines of a text with an error', () => {
    assert.equal(edited('a: 1\nb: 2\nc: "x" y\n', [set(['a'], 3)]), 'a: 3\nb: 2\nc: "x" y\n');
  });

  it('replaces an alias, but not the content of its anchor', () => {
    const text = 'a: &a { b: 1 }\nc: *a\nd:\n  <<: *a\n  e: 2\n';
    assert.equal(edited(text, [set(['c'], 2)]), text.replace('*a', '2'));
    assert.equal(edited(text, [set(['c', 'b'], 2)]), undefined);
    assert.equal(edited(text, [set(['d', 'b'], 2)]), undefined);
    assert.equal(edited(text, [set(['a', 'b'], 2)]), undefined);
    assert.equal(edited(text, [set(['d'], { b: 1, e: 2 })]), text);
    assert.equal(edited(text, [set(['d', 'e'], 3)]), text.replace('e: 2', 'e: 3'));
    assert.equal(edited(text, [remove('a')]), undefined);
  });

  it('rejects edits that do not fit', () => {
    assert.equal(edited('a: 1\n', [set(['a', 'b'], 2)]), undefined);
    assert.equal(edited('a: [1]\n', [set(['a', 3], 2)]), undefined);
    assert.equal(edited('a: 1\n', [remove('b')]), undefined);
    assert.equal(edited('a: 1\nb: 2\n', [rename(['a'], 'b')]), undefined);
    assert.equal(edited('? a\n: 1\n', [set(['b'], 2)]), undefined);
  });

  it('changes only the text of the edit', () => {
    const text = 'a: 1\nb: 2\n';
    const { root } = parseManifestFile(text, 'yaml').parts[0] ?? {};
    const source = { text, language: 'yaml', root } as const;
    assert.deepEqual(changesOf(source, [set(['b'], 3), set(['b'], 4)]), [{ start: 8, end: 9, text: '4' }]);
    assert.deepEqual(changesOf(source, [set([], { a: 1, b: 2 })]), []);
  });
});

describe('changesOf for JSON', () => {
  const json = { language: 'json' } as const;

  it('keeps comments and trailing commas', () => {
    const text = '// top\n{\n\t"a": 1, // one\n\t"b": [2], // two\n}\n';
    assert.equal(
      edited(text, [set(['a'], 'x'), set(['c'], { d: [1] }), set(['b', 1], 3)], json),
      '// top\n{\n\t"a": "x", // one\n\t"b": [2, 3], // two\n\t"c": {\n\t\t"d": [\n\t\t\t1\n\t\t]\n\t},\n}\n',
    );
  });

  it('adds a field after a comment on the last line', () => {
    assert.equal(edited('{\n  "a": 1 // one\n}', [set(['b'], 2)], json), '{\n  "a": 1, // one\n  "b": 2\n}');
    assert.equal(
      edited('{\n  "a": 1 /* one\n  two */\n}', [set(['b'], 2)], json),
      '{\n  "a": 1,\n  "b": 2 /* one\n  two */\n}',
    );
  });

  it('adds a field to an empty object and to an empty file', () => {
    assert.equal(edited('{}\n', [set(['a'], 1)], json), '{\n  "a": 1\n}\n');
    assert.equal(edited('{ // none\n}\n', [set(['a'], 1)], json), '{ "a": 1 // none\n}\n');
    assert.equal(edited('// none\n', [set(['a'], 1)], json), '// none\n{\n  "a": 1\n}\n');
    assert.equal(
      edited('{\n  "env": {}\n}\n', [set(['env', 'A'], 'b')], json),
      '{\n  "env": {\n    "A": "b"\n  }\n}\n',
    );
  });

  it('keeps objects on one line', () => {
    assert.equal(edited('{ "a": 1 }', [set(['b'], { c: [1] })], json), '{ "a": 1, "b": { "c": [ 1 ] } }');
  });

  it('removes and renames fields', () => {
    assert.equal(edited('{\n  "a": 1, // one\n  "b": 2 // two\n}', [remove('b')], json), '{\n  "a": 1 // one\n}');
    assert.equal(edited('{ "a": 1, "b": 2 }', [remove('a'), rename(['b'], 'c')], json), '{ "c": 2 }');
    assert.equal(edited('{ "a": 1 }', [remove('a')], json), '{}');
  });

  it('keeps Windows line breaks', () => {
    assert.equal(
      edited('{\r\n  "a": 1\r\n}\r\n', [set(['b'], [2])], json),
      '{\r\n  "a": 1,\r\n  "b": [\r\n    2\r\n  ]\r\n}\r\n',
    );
  });

  it('rejects a text without a closing bracket', () => {
    assert.equal(edited('{ "a": 1', [set(['b'], 2)], json), undefined);
  });
});
