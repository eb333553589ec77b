import assert from 'node:assert/strict';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';
import { selectionSpans } from '../../../../../src/features/manifest/model/reading/selection.ts';
import { halfTyped, parsed, sampleYaml } from '../samples.ts';

/** Returns the selected texts around the bar, which marks the position. */
function selected(marked: string, language: ManifestLanguage = 'yaml') {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  return selectionSpans(parsed(text, language), offset).map(({ start, end }) => text.slice(start, end));
}

describe('selectionSpans', () => {
  it('grow from a value to the file in YAML', () => {
    assert.deepEqual(selected('gpu:\n  pools:\n    - AD|A\n    - B\n  count: 1\n'), [
      'ADA',
      '- ADA\n    - B',
      'pools:\n    - ADA\n    - B',
      'pools:\n    - ADA\n    - B\n  count: 1',
      'gpu:\n  pools:\n    - ADA\n    - B\n  count: 1',
      'gpu:\n  pools:\n    - ADA\n    - B\n  count: 1\n',
    ]);
  });

  it('grow from the content of a string to the file in JSON', () => {
    assert.deepEqual(selected('{ "gpu": { "pools": ["A|"] } }', 'json'), [
      'A',
      '"A"',
      '["A"]',
      '"pools": ["A"]',
      '{ "pools": ["A"] }',
      '"gpu": { "pools": ["A"] }',
      '{ "gpu": { "pools": ["A"] } }',
    ]);
  });

  it('grow from a key to its field', () => {
    assert.deepEqual(selected('ty|pe: QUEUE'), ['type', 'type: QUEUE']);
    assert.deepEqual(selected('{"ty|pe": 1}', 'json'), ['type', '"type"', '"type": 1', '{"type": 1}']);
  });

  it('grow from a value to its endpoint in a file with several', () => {
    assert.deepEqual(selected('name: a\n---\nname: |b\n'), ['b', 'name: b', 'name: a\n---\nname: b\n']);
    assert.deepEqual(selected('name: a\n---\nname: |b\ntype: c\n'), [
      'b',
      'name: b',
      'name: b\ntype: c',
      'name: a\n---\nname: b\ntype: c\n',
    ]);
  });

  it('are nested around the position in half-typed texts', () => {
    for (const file of halfTyped())
      for (const offset of [0, file.text.length >> 1, Math.max(0, file.text.length - 1), file.text.length]) {
        const spans = selectionSpans(file, offset);
        assert.deepEqual(spans.at(-1), { start: 0, end: file.text.length });
        for (const [index, { start, end }] of spans.entries()) {
          const inner = spans[index - 1] ?? { start: offset, end: offset };
          assert.ok(start <= inner.start && inner.end <= end, file.text);
        }
      }
  });

  it('exist at every position of a manifest', () => {
    for (let offset = 0; offset <= sampleYaml.length; offset++)
      assert.notEqual(selectionSpans(parsed(sampleYaml), offset).length, 0);
  });
});
