import assert from 'node:assert/strict';
import { withSecondAttempt } from '../../scripts/stage.ts';

describe('second attempt of a stage', () => {
  const failedFiles = { 'a.test.ts': { passed: 3, failed: 1, skipped: 2 } };
  const first = { passed: 10, failed: 1, skipped: 4, failedFiles };

  it('replaces the counts of the files with failures', () => {
    assert.deepEqual(withSecondAttempt(first, { passed: 6, failed: 0, skipped: 0 }), {
      passed: 13,
      failed: 0,
      skipped: 2,
    });
  });

  it('still fails if the second attempt fails', () => {
    assert.equal(withSecondAttempt(first, { passed: 3, failed: 1, skipped: 2 }).failed, 1);
  });
});
