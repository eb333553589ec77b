import assert from 'node:assert/strict';
import { valueOfTree } from '../../../../../src/features/manifest/model/text/node.ts';
import { nodeAt, stepsTo } from '../../../../../src/features/manifest/model/text/locate.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';

const parse = (text: string) => {
  const [part] = parseManifestFile(text, 'yaml').parts;
  assert.ok(part?.root);
  return { root: part.root, value: part.value };
};

describe('yamlTree', () => {
  it('merges maps, of which the first with a key counts', () => {
    const { root, value } = parse(`a: &a { x: 1 }
b: &b
  <<: *a
  y: 2
c:
  x: 3
  <<: [*b, { y: 4, z: 5 }]
`);
    assert.deepEqual(value, { a: { x: 1 }, b: { x: 1, y: 2 }, c: { x: 3, y: 2, z: 5 } });
    assert.deepEqual(valueOfTree(root), value);
    const steps = (path: string[]) => stepsTo(root, path).map(({ shared }) => shared);
    assert.deepEqual(steps(['c', 'x']), [false, false, false]);
    assert.deepEqual(steps(['c', 'y']), [false, false, true]);
    assert.equal(nodeAt(root, ['c', '<<']), undefined);
  });

  it('reads a quoted merge key as a property', () => {
    const { root, value } = parse('"<<": { a: 1 }\n');
    assert.deepEqual(value, { '<<': { a: 1 } });
    assert.equal(nodeAt(root, ['a']), undefined);
  });

  it('keeps the names of properties as they are written', () => {
    const { root, value } = parse('NULL: a\n1.0: b\nTrue: c\n0x10: d\n: e\n');
    assert.deepEqual(value, { NULL: 'a', '1.0': 'b', True: 'c', '0x10': 'd', '': 'e' });
    assert.equal(nodeAt(root, ['NULL'])?.kind, 'scalar');
  });

  it('resolves the alias of a property name', () => {
    assert.deepEqual(parse('&a name: x\nother: *a\n').value, { name: 'x', other: 'name' });
  });

  it('has only values of JSON, also with a directive or a tag of YAML 1.1', () => {
    const { value } = parse(`%YAML 1.1
---
date: 2026-01-01
tagged: !!timestamp 2026-01-01
bytes: !!binary aGVsbG8=
set: !!set { a, b }
map: !!omap [a: 1]
merge: !<tag:yaml.org,2002:merge> <<
`);
    assert.deepEqual(value, {
      date: '2026-01-01',
      tagged: '2026-01-01',
      bytes: 'aGVsbG8=',
      set: { a: null, b: null },
      map: [{ a: 1 }],
      merge: '<<',
    });
  });
});
