import assert from 'node:assert/strict';
import { BytesJson, serialized, textParts } from '../../../src/platform/domain/largeJson.ts';

describe('A large value', () => {
  const large = new BytesJson(Buffer.from('[1]'));

  it('stays as it is in the JSON of a job and of a list of jobs', () => {
    const job = { id: 'a', error: undefined, output: large };
    const text = '{"id":"a","output":[1]}';
    for (const [value, expected] of [
      [large, '[1]'],
      [job, text],
      [[{ id: 'b' }, job, undefined], `[{"id":"b"},${text},null]`],
      [[], '[]'],
      [{ a: { b: { c: null } } }, '{"a":{"b":{"c":null}}}'],
    ] as const) {
      const parts = serialized(value);
      assert.equal(Buffer.concat([...textParts(parts)]).toString(), expected);
      assert.equal(parts.includes(large), expected.includes('[1]'));
    }
  });
});
