import assert from 'node:assert/strict';
import { formatJson, type JsonStyle } from '../../src/text/formatJson.ts';
import type { Span } from '../../src/text/span.ts';
import { valueOfTree } from '../../src/features/manifest/model/text/node.ts';
import { parsed, sampleJson } from '../features/manifest/model/samples.ts';

const style: JsonStyle = { tabSize: 2, insertSpaces: true, eol: '\n' };

function formatted(text: string, options: Partial<JsonStyle> = {}, span?: Span): string {
  return formatJson(text, { ...style, ...options }, span)
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: next }) => result.slice(0, start) + next + result.slice(end), text);
}

describe('formatJson', () => {
  it('indents and keeps comments', () => {
    assert.equal(formatted('{"a":1,// one\n"b":[1,\n2]}'), '{\n  "a": 1, // one\n  "b": [\n    1,\n    2\n  ]\n}');
  });

  it('follows the tab size and the line ends of the document', () => {
    assert.equal(formatted('{"a":1}', { insertSpaces: false, eol: '\r\n' }), '{\r\n\t"a": 1\r\n}');
  });

  it('formats only the given part', () => {
    const text = '{\n  "a":1,\n  "b":2\n}';
    assert.equal(formatted(text, {}, { start: 2, end: 9 }), '{\n  "a": 1,\n  "b":2\n}');
  });

  it('keeps one line end at the end of the text', () => {
    assert.equal(formatted('{}\n\n'), '{}\n');
    assert.equal(formatted('{}'), '{}');
  });

  it('does not change its own result, or the value', () => {
    const once = formatted(sampleJson);
    assert.equal(formatted(once), once);
    const valueOf = (text: string) => {
      const [part] = parsed(text, 'json').parts;
      return part?.root && valueOfTree(part.root);
    };
    assert.deepEqual(valueOf(once), valueOf(sampleJson));
  });

  it('keeps all characters except white space of half-typed texts', () => {
    const dense = (text: string) => text.replaceAll(/\s/g, '');
    for (let length = 0; length <= sampleJson.length; length++) {
      const typed = sampleJson.slice(0, length);
      assert.equal(dense(formatted(typed)), dense(typed));
    }
  });
});
