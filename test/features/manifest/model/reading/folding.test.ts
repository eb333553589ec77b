import assert from 'node:assert/strict';
import { folds } from '../../../../../src/features/manifest/model/reading/folding.ts';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';
import { halfTyped, parsed, sampleJson, sampleYaml } from '../samples.ts';

/** Returns the first and last line of each fold. */
function foldsOf(text: string, language: ManifestLanguage = 'yaml') {
  const lines = text.split(/\r?\n/);
  return folds(parsed(text, language)).map(({ startLine, endLine, isComment }) =>
    [isComment ? 'comment: ' : '', lines[startLine]?.trim(), ' … ', lines[endLine]?.trim()].join(''),
  );
}

const yaml = [
  'comment: # Two lines … # of comment',
  'env: … LEVEL: info',
  'TOKEN: | … # either',
  'gpu: … count: 2',
  'pools: … - AMPERE_24',
  'mounts: … path: /data',
  'network: … path: /data',
  '- volumeId: n1 … path: /data',
  'x-local: … command: node handler.mjs',
];

describe('folds', () => {
  it('cover maps, lists, block strings, and comments of YAML', () => {
    assert.deepEqual(foldsOf(sampleYaml), yaml);
    assert.deepEqual(foldsOf(sampleYaml.replaceAll('\n', '\r\n')), yaml);
  });

  it('cover objects, arrays, and comments of JSON, and leave the closing bracket visible', () => {
    assert.deepEqual(foldsOf(sampleJson, 'json'), [
      '{ … "x-local": { "directory": "hello", "command": "node handler.mjs" }',
      'comment: // Two lines … // of comment',
      '"env": { … "LEVEL": "info",',
      'comment: /* A block … of comment */',
      '"gpu": { … "count": 2',
      '"pools": [ … "AMPERE_24"',
    ]);
  });

  it('cover the endpoints of a file with several', () => {
    const text = 'name: a\ntype: QUEUE\n\n---\n# b\nname: b\ntype: QUEUE\n--- # c\nname: c\n';
    assert.deepEqual(foldsOf(text), ['name: a … type: QUEUE', '--- … type: QUEUE', '--- # c … name: c']);
  });

  it('omit a comment after a value', () => {
    assert.deepEqual(foldsOf('{\n"a": 1, // b\n// c\n"d": 2\n}', 'json'), ['{ … "d": 2']);
    assert.deepEqual(foldsOf('a: 1 # b\n# c\n'), []);
  });

  it('cover flow collections of YAML', () => {
    assert.deepEqual(foldsOf('gpu: {\n  pools: [\n    A\n  ]\n}\n'), ['gpu: { … ]', 'pools: [ … A']);
  });

  it('treat a number sign in a multiline string as text', () => {
    assert.deepEqual(foldsOf('args: "a\n  # b\n  # c"\nname: x\n'), ['args: "a … # c"']);
  });

  it('stay inside the text and in order in half-typed texts', () => {
    let count = 0;
    for (const file of halfTyped()) {
      let before = -1;
      for (const { startLine, endLine } of folds(file)) {
        count++;
        assert.ok(startLine > before && endLine > startLine, file.text);
        assert.ok(endLine < file.text.split('\n').length, file.text);
        before = startLine;
      }
    }
    assert.ok(count > 100);
  });
});
