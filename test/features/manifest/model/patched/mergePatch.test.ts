import assert from 'node:assert/strict';
import { mergePatch, patchFor } from '../../../../../src/features/manifest/model/patched/mergePatch.ts';
import { valueOfTree, type ManifestNode } from '../../../../../src/features/manifest/model/text/node.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';

/** The test cases of RFC 7396, appendix A. */
const TABLE: readonly (readonly [original: string, patch: string, result: string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

function tree(text: string, language: 'json' | 'yaml' = 'json'): ManifestNode {
  const root = parseManifestFile(text, language).parts[0]?.root;
  assert.ok(root);
  return root;
}

describe('a JSON merge patch', () => {
  for (const [original, patch, result] of TABLE)
    it(`turns ${original} into ${result} with ${patch}`, () => {
      assert.deepEqual(valueOfTree(mergePatch(tree(original), tree(patch))), JSON.parse(result));
    });

  it('applies to the fields that YAML merges into a map', () => {
    const root = tree(
      'base: &base { a: 1, b: 2 }\nown: { <<: *base, b: 3 }\npatch: { own: { a: null, c: 4 } }\n',
      'yaml',
    );
    const patch = tree('{"own": {"a": null, "c": 4}}');
    const { own } = valueOfTree(mergePatch(root, patch)) as { readonly own: unknown };
    assert.deepEqual(own, { b: 3, c: 4 });
  });

  it('keeps the place of each node', () => {
    const [base, patch] = [tree('{"a": 1, "b": 2}'), tree('{"b": 3}')];
    const merged = mergePatch(base, patch);
    assert.ok(merged.kind === 'map' && base.kind === 'map' && patch.kind === 'map');
    assert.deepEqual(merged.members, [base.members[0], patch.members[0]]);
  });
});

describe('the patch for a value', () => {
  const cases: readonly (readonly [what: string, base: object, wanted: object, present: object, patch: object])[] = [
    ['contains only what differs', { a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 2, d: 4 } }, {}, { b: { d: 4 } }],
    ['removes a field with null', { a: 1, b: 2 }, { a: 1 }, {}, { b: null }],
    ['omits a field that the value does not need', { a: 1 }, { a: 1 }, { b: 2 }, {}],
    ['keeps the present fields and their order', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 4, a: 1 }, { b: 3, a: 1 }],
    ['replaces a list as a whole', { a: [1, 2] }, { a: [1, 3] }, {}, { a: [1, 3] }],
  ];
  for (const [what, base, wanted, present, patch] of cases)
    it(what, () => {
      const found = patchFor({ ...base }, { ...wanted }, { ...present });
      assert.deepEqual(found, patch);
      assert.deepEqual(Object.keys(found), Object.keys(patch));
      const [before, change] = [tree(JSON.stringify(base)), tree(JSON.stringify(found))];
      assert.deepEqual(valueOfTree(mergePatch(before, change)), wanted);
    });
});
