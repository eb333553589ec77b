import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BUCKET_SIZES, type BucketSize } from '../../../src/contract/billing.ts';
import { bucketsOf, resolveWindow } from '../../../src/platform/domain/buckets.ts';

const DAY_MS = 86_400_000;

/** Start of the bucket a moment lies in, without the calendar library: UTC fields and whole days since a Monday. */
function startByArithmetic(size: BucketSize, time: number): number {
  const date = new Date(time);
  switch (size) {
    case 'hour':
      return Math.floor(time / 3_600_000) * 3_600_000;
    case 'day':
      return Math.floor(time / DAY_MS) * DAY_MS;
    case 'week': {
      const monday = Date.UTC(1970, 0, 5);
      return monday + Math.floor((time - monday) / (7 * DAY_MS)) * 7 * DAY_MS;
    }
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    case 'year':
      return Date.UTC(date.getUTCFullYear(), 0, 1);
  }
}

/** Any moment from 1975 to 2060, leap days and years included. */
const moment = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2060, 0, 1) });
const size = fc.constantFrom(...BUCKET_SIZES);
const now = Date.UTC(2026, 10, 21, 11, 30);

describe('buckets of a window', () => {
  it('begin and end where UTC says, cover the window without a gap, and overlap nowhere', () => {
    fc.assert(
      fc.property(size, moment, fc.integer({ min: 1, max: 300 * DAY_MS }), (bucketSize, from, length) => {
        const to = from + length;
        const query = { bucketSize, startTime: new Date(from).toISOString(), endTime: new Date(to).toISOString() };
        const window = resolveWindow(query, now);
        const buckets = bucketsOf(window);
        assert.equal(window.start, startByArithmetic(bucketSize, from), 'the start snaps down');
        assert.ok(window.end >= to, 'the end snaps up');
        assert.ok((buckets.at(-1)?.start ?? 0) < to, 'and no further than the bucket it lies in');
        let at = window.start;
        for (const { start, end } of buckets) {
          assert.equal(start, at, 'each begins where the one before ended');
          assert.equal(startByArithmetic(bucketSize, start), start);
          assert.equal(startByArithmetic(bucketSize, end - 1), start);
          at = end;
        }
        assert.equal(at, window.end);
      }),
    );
  });

  it('are as many as lastN says, the last of them the one that now lies in', () => {
    fc.assert(
      fc.property(size, moment, fc.integer({ min: 1, max: 400 }), (bucketSize, at, lastN) => {
        const buckets = bucketsOf(resolveWindow({ bucketSize, lastN }, at));
        assert.equal(buckets.length, lastN);
        assert.equal(buckets.at(-1)?.start, startByArithmetic(bucketSize, at));
      }),
    );
  });
});
