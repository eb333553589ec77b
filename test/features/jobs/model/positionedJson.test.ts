import assert from 'node:assert/strict';
import { parsePositionedJson } from '../../../../src/features/jobs/model/positionedJson.ts';

/** Returns the text from the offset of the error on, and the error. */
function mistake(text: string): [string, string] {
  const json = parsePositionedJson(text);
  assert.ok('error' in json, `accepted: ${text}`);
  return [text.slice(json.offset), json.error];
}

describe('JSON with positions', () => {
  it('accepts the same texts as JSON.parse', () => {
    const texts = [
      '{}',
      '[]',
      ' null ',
      '-1.5e+3',
      '"a\\u00e9\\n"',
      '{"a":[1,{"b":"c"}],"a b":true}',
      '\t[\r\n1 , 2 ]',
    ];
    for (const text of texts) {
      const json = parsePositionedJson(text);
      assert.ok('value' in json, text);
      assert.deepEqual(json.value, JSON.parse(text));
    }
  });

  it('rejects the same texts as JSON.parse', () => {
    const texts = [
      '',
      '{',
      '[1,]',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      '01',
      '1.',
      '+1',
      'tru',
      'truer',
      '"a\nb"',
      '"\\x"',
    ];
    for (const text of [...texts, '// c\n1', '1 2', 'NaN', '[1 2]', '{"a" 1}', '\u00a0 1', '\ufeff1']) {
      assert.throws(() => JSON.parse(text) as unknown, SyntaxError, text);
      mistake(text);
    }
  });

  it('has the position of a mistake', () => {
    assert.deepEqual(mistake('{"a":1,}'), ['}', 'a property name in double quotes is expected']);
    assert.deepEqual(mistake('{"a": yes}'), ['yes}', 'this is not a value; strings need double quotes']);
    assert.deepEqual(mistake('{"a" 1}'), ['1}', 'a colon is expected']);
    assert.deepEqual(mistake('{"a": 1'), ['', 'a closing brace is expected']);
    assert.deepEqual(mistake('[1 2]'), ['2]', 'a comma is expected']);
    assert.deepEqual(mistake('["abc'), ['"abc', 'this string is not terminated']);
    assert.deepEqual(mistake('{} 1'), ['1', 'unexpected text after the end of the value']);
  });

  it('has the positions of values, and of the nearest parent for missing values', () => {
    const text = '{ "policy": { "ttl": 5, "list": [ 1, 2 ] } }';
    const json = parsePositionedJson(text);
    assert.ok('value' in json);
    assert.equal(text.slice(json.spanOf(['policy', 'ttl']).start), '5, "list": [ 1, 2 ] } }');
    assert.equal(text.slice(json.spanOf(['policy', 'list', 1]).start), '2 ] } }');
    assert.equal(json.spanOf(['policy', 'other', 'x']).start, json.spanOf(['policy']).start);
    assert.equal(json.spanOf(['nothing']).start, 0);
  });

  it('rejects deep nesting without exhausting the stack', () => {
    assert.ok('error' in parsePositionedJson('['.repeat(200_000)));
  });
});
