import assert from 'node:assert/strict';
import { changeOf, queryBefore } from '../../../../../src/features/spend/billing/model/change.ts';
import { response } from '../../../../webviews/billing/sample.ts';

const week = response(
  'day',
  '2025-11-15',
  [0.1, 0.2, 0, 0, 0, 0, 5].map((podGpuAmount) => ({ podGpuAmount })),
);
const before = response('day', '2025-11-09', [{ podGpuAmount: 0.25 }]);
const NOW = Date.parse('2025-11-21T14:30Z');

describe('the change against the window before', () => {
  it('compares the finished buckets with as many buckets before the window', () => {
    assert.deepEqual(queryBefore(week.metadata.query, NOW), {
      bucketSize: 'day',
      startTime: '2025-11-09T00:00:00.000Z',
      endTime: '2025-11-15T00:00:00.000Z',
    });
    assert.deepEqual(changeOf(week, before, NOW), { current: 0.3, previous: 0.25, buckets: 6 });
  });

  it('compares the totals of the service when the window is over', () => {
    const over = Date.parse('2025-11-22T00:00Z');
    assert.equal(queryBefore(week.metadata.query, over)?.startTime, '2025-11-08T00:00:00.000Z');
    assert.deepEqual(changeOf(week, before, over), {
      current: week.metadata.totals.totalAmount,
      previous: 0.25,
      buckets: 7,
    });
  });

  it('compares nothing when no bucket is finished', () => {
    const year = response('year', '2025-01-01', [{ podGpuAmount: 1 }]);
    assert.equal(queryBefore(year.metadata.query, NOW), undefined);
  });
});
