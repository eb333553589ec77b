import assert from 'node:assert/strict';
import { parsePositionedJson } from '../../../src/features/jobs/positionedJson.ts';

/** What stands from the offset of the error on, and what is said about it. */
function mistake(text: string): [string, string] {
  const json = parsePositionedJson(text);
  assert.ok('error' in json, `taken: ${text}`);
  return [text.slice(json.offset), json.error];
}

describe('JSON with places', () => {
  it('reads what JSON.parse reads', () => {
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

  it('refuses what JSON.parse refuses', () => {
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

  it('knows where a mistake shows', () => {
    assert.deepEqual(mistake('{"a":1,}'), ['}', 'a member’s name in double quotes is expected']);
    assert.deepEqual(mistake('{"a": yes}'), ['yes}', 'this is no value; texts are in double quotes']);
    assert.deepEqual(mistake('{"a" 1}'), ['1}', 'a colon is expected']);
    assert.deepEqual(mistake('{"a": 1'), ['', 'a closing brace is expected']);
    assert.deepEqual(mistake('[1 2]'), ['2]', 'a comma is expected']);
    assert.deepEqual(mistake('["abc'), ['"abc', 'this text is not closed']);
    assert.deepEqual(mistake('{} 1'), ['1', 'there is more after the end of the value']);
  });

  it('knows where values stand, and the nearest parent of those that are not there', () => {
    const text = '{ "policy": { "ttl": 5, "list": [ 1, 2 ] } }';
    const json = parsePositionedJson(text);
    assert.ok('value' in json);
    assert.equal(text.slice(json.offsetOf(['policy', 'ttl'])), '5, "list": [ 1, 2 ] } }');
    assert.equal(text.slice(json.offsetOf(['policy', 'list', 1])), '2 ] } }');
    assert.equal(json.offsetOf(['policy', 'other', 'x']), json.offsetOf(['policy']));
    assert.equal(json.offsetOf(['nothing']), 0);
  });

  it('refuses what is nested too deeply rather than ending', () => {
    assert.ok('error' in parsePositionedJson('['.repeat(200_000)));
  });
});
