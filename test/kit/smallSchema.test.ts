import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { flag, integer, listOf, number, object, oneOf, text, type Schema } from '../../src/kit/smallSchema.ts';

const pairs: Record<string, [ours: Schema<unknown>, zods: z.ZodType]> = {
  text: [text, z.string()],
  number: [number, z.number()],
  integer: [integer, z.int()],
  flag: [flag, z.boolean()],
  oneOf: [oneOf<string | number | true>('a', 1, true), z.literal(['a', 1, true])],
  listOf: [listOf(text), z.array(z.string())],
  object: [
    object({ a: text, b: listOf(number) }, { c: flag }),
    z.object({ a: z.string(), b: z.array(z.number()), c: z.boolean().optional() }),
  ],
};

const nearlyValid = fc.record(
  { a: fc.oneof(fc.string(), fc.anything()), b: fc.oneof(fc.array(fc.double()), fc.anything()), c: fc.anything() },
  { requiredKeys: [] },
);
const value = fc.oneof(fc.anything(), fc.constantFrom('a', 1, true), fc.array(fc.string()), nearlyValid);

describe('a small schema', () => {
  for (const [name, [ours, zods]] of Object.entries(pairs))
    it(`reads the values that the schema of zod reads: ${name}`, () => {
      fc.assert(
        fc.property(value, (given) => {
          const { success, data } = zods.safeParse(given);
          assert.deepEqual(ours.safeParse(given).data, success ? data : undefined);
        }),
      );
    });

  it('returns a copy without unknown members', () => {
    const read = object({ a: text }).safeParse(JSON.parse('{"a":"x","b":1,"__proto__":{"c":2}}'));
    assert.deepEqual(read, { data: { a: 'x' } });
  });
});
