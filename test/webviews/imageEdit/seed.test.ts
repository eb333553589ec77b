import assert from 'node:assert/strict';
import { isSeed } from '../../../src/webviews/imageEdit/model.ts';

describe('The seed of an image edit', () => {
  it('can be any integer that JSON carries exactly', () => {
    for (const seed of ['0', '-1', ' 7 ', '1234567890123456', String(Number.MAX_SAFE_INTEGER)])
      assert.ok(isSeed(seed), seed);
    for (const seed of ['', '1.5', 'x', '1e3', '9007199254740992', '-9007199254740992']) assert.ok(!isSeed(seed), seed);
  });
});
