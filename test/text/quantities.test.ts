import assert from 'node:assert/strict';
import { duration } from '../../src/text/quantities.ts';

describe('Duration', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3_900, '1 h 5 min'],
    [187_200, '2 d 4 h'],
  ] as const) {
    it(`of ${seconds} seconds reads ${text}`, () => assert.equal(duration(seconds), text));
  }
});
