import assert from 'node:assert/strict';
import process from 'node:process';
import fc from 'fast-check';
import { BUCKET_SIZES } from '../../../src/contract/billing.ts';
import { bucketsOf, resolveWindow } from '../../../src/platform/domain/buckets.ts';
import { plainBucket } from './plainCalendar.ts';

const DAY_MS = 86_400_000;

/** Any time from 1975 to 2060, including leap days. */
const moment = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2060, 0, 1) });
const size = fc.constantFrom(...BUCKET_SIZES);
const now = Date.UTC(2026, 10, 21, 11, 30);

// Zones whose offsets and daylight saving times are whole, half, and quarter hours. The time zone must not matter.
for (const zone of ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia']) {
  describe(`bucketsOf in the time zone ${zone}`, () => {
    const before = process.env['TZ'];
    beforeEach(() => {
      process.env['TZ'] = zone;
    });
    afterEach(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });

    it('yields buckets that match integer arithmetic, without gaps or overlaps', () => {
      fc.assert(
        fc.property(size, moment, fc.integer({ min: 1, max: 300 * DAY_MS }), (bucketSize, from, length) => {
          const to = from + length;
          const query = { bucketSize, startTime: new Date(from).toISOString(), endTime: new Date(to).toISOString() };
          const window = resolveWindow(query, now);
          assert.equal(window.start, plainBucket(bucketSize, from).start, 'the start is rounded down');
          assert.equal(window.end, plainBucket(bucketSize, to - 1).end, 'the end is rounded up, unless on a boundary');
          let at = window.start;
          for (const bucket of bucketsOf(window)) {
            assert.deepEqual(bucket, plainBucket(bucketSize, at), 'each bucket begins at the end of the previous one');
            at = bucket.end;
          }
          assert.equal(at, window.end);
        }),
      );
    });

    it('yields lastN buckets, the last of which contains the current time', () => {
      fc.assert(
        fc.property(size, moment, fc.integer({ min: 1, max: 400 }), (bucketSize, at, lastN) => {
          const buckets = [...bucketsOf(resolveWindow({ bucketSize, lastN }, at))];
          assert.equal(buckets.length, lastN);
          assert.deepEqual(buckets.at(-1), plainBucket(bucketSize, at));
        }),
      );
    });
  });
}
