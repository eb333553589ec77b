import assert from 'node:assert/strict';
import { number, parseJobs, parseSeconds } from '../../../../src/features/spend/estimate/estimateReport.ts';

describe('The numbers of an estimate', () => {
  it('are times in seconds of at most a week', () => {
    assert.deepEqual(['1.5', ' 90 s ', '1,200', '.5', '2 seconds'].map(parseSeconds), [1.5, 90, 1200, 0.5, 2]);
    for (const text of ['', '0', '-1', 'a', '1e3', '604801', '1,2', 's', 'Infinity', '.'])
      assert.equal(parseSeconds(text), undefined, text);
  });

  it('are numbers of jobs', () => {
    assert.deepEqual(['1000', '1,000,000', '0.5'].map(parseJobs), [1_000, 1_000_000, 0.5]);
    for (const text of ['', '0', '-5', 'many', '2000000000']) assert.equal(parseJobs(text), undefined, text);
  });

  it('are shown with few digits', () => {
    assert.deepEqual([0.01234, 1.5, 12.345, 12345.6].map(number), ['0.0123', '1.5', '12.35', '12,346']);
  });
});
