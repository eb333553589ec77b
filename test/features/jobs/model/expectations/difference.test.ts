import assert from 'node:assert/strict';
import fc from 'fast-check';
import { differenceOf, overlay } from '../../../../../src/features/jobs/model/expectations/difference.ts';
import { subsetMismatches } from '../../../../../src/features/jobs/model/expectations/checkExpectations.ts';
import type { Mismatch } from '../../../../../src/features/jobs/model/expectations/mismatch.ts';

const inOutput: Mismatch = {
  code: 'wrongValue',
  path: ['output'],
  member: ['expect', 'output'],
  expected: 1,
  actual: 2,
};

describe('Difference between the expected and the actual output', () => {
  it('contains members without an expectation in both texts', () => {
    const found = differenceOf(inOutput, {
      expected: { b: 1, c: [1, { d: 2 }] },
      output: { a: 0, b: 2, c: [1, { d: 2, e: 3 }] },
    });
    assert.deepEqual(JSON.parse(found?.expected ?? ''), { a: 0, b: 1, c: [1, { d: 2, e: 3 }] });
    assert.deepEqual(JSON.parse(found?.actual ?? ''), { a: 0, b: 2, c: [1, { d: 2, e: 3 }] });
    assert.match(found?.actual ?? '', /^\{\n {2}"a": 0,\n {2}"b": 2/);
  });

  it('contains only members with an expectation if the output is large', () => {
    const found = differenceOf(inOutput, { expected: { b: 1 }, output: { a: 'x'.repeat(60_000), b: 2 } });
    assert.deepEqual([JSON.parse(found?.expected ?? ''), JSON.parse(found?.actual ?? '')], [{ b: 1 }, { b: 2 }]);
  });

  it('has a text that satisfies the expectation, and the output itself if nothing is violated', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (expected, actual) => {
        const merged = overlay(expected, actual);
        assert.deepEqual(subsetMismatches(expected, merged, []), []);
        if (subsetMismatches(expected, actual, []).length === 0) assert.equal(merged, actual);
      }),
    );
  });
});
