import assert from 'node:assert/strict';
import process from 'node:process';
import fc from 'fast-check';
import { BUCKET_SIZES } from '../../../src/contract/billing.ts';
import { bucketsOf, resolveWindow } from '../../../src/platform/domain/buckets.ts';
import { plainBucket } from './plainCalendar.ts';

const DAY_MS = 86_400_000;

/** Any moment from 1975 to 2060, leap days and years included. */
const moment = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2060, 0, 1) });
const size = fc.constantFrom(...BUCKET_SIZES);
const now = Date.UTC(2026, 10, 21, 11, 30);

// Zones with whole, half and quarter hours of offset and of daylight saving: none of them may matter.
for (const zone of ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia']) {
  describe(`buckets of a window, in a process of the time zone ${zone}`, () => {
    const before = process.env['TZ'];
    beforeEach(() => {
      process.env['TZ'] = zone;
    });
    afterEach(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });

    it('begin and end where plain arithmetic says, cover the window without a gap, and overlap nowhere', () => {
      fc.assert(
        fc.property(size, moment, fc.integer({ min: 1, max: 300 * DAY_MS }), (bucketSize, from, length) => {
          const to = from + length;
          const query = { bucketSize, startTime: new Date(from).toISOString(), endTime: new Date(to).toISOString() };
          const window = resolveWindow(query, now);
          assert.equal(window.start, plainBucket(bucketSize, from).start, 'the start snaps down');
          assert.equal(window.end, plainBucket(bucketSize, to - 1).end, 'the end snaps up, unless it is on a border');
          let at = window.start;
          for (const bucket of bucketsOf(window)) {
            assert.deepEqual(bucket, plainBucket(bucketSize, at), 'each begins where the one before ended');
            at = bucket.end;
          }
          assert.equal(at, window.end);
        }),
      );
    });

    it('are as many as lastN says, the last of them the one that now lies in', () => {
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
