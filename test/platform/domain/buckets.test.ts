import assert from 'node:assert/strict';
import process from 'node:process';
import fc from 'fast-check';
import { BUCKET_SIZES, MAX_BUCKETS, type BillingQuery } from '../../../src/contract/billing.ts';
import { bucketsOf, resolveWindow } from '../../../src/platform/domain/buckets.ts';
import { Refusal } from '../../../src/platform/domain/refusal.ts';
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

describe('The window of a billing query', () => {
  const hourMs = 3_600_000;
  const text = (time: number) => new Date(time).toISOString();
  const refuses = (query: BillingQuery, reason: RegExp) =>
    assert.throws(
      () => resolveWindow(query, now),
      (error) => error instanceof Refusal && error.status === 400 && reason.test(error.message),
      JSON.stringify(query),
    );

  it('is the last 30 days in days, unless the query says otherwise', () => {
    const today = Date.UTC(2026, 10, 21);
    assert.deepEqual(resolveWindow({}, now), {
      ...{ bucketSize: 'day', start: today - 30 * DAY_MS, end: today + DAY_MS },
    });
    assert.equal(resolveWindow({}, today).start, today - 30 * DAY_MS, 'at midnight');
    assert.equal(resolveWindow({ startTime: text(today - 2 * DAY_MS) }, now).start, today - 2 * DAY_MS);
    assert.equal(resolveWindow({ endTime: text(today) }, now).end, today);
  });

  it('contains every moment before its end, also within one millisecond', () => {
    const hour = Date.UTC(2026, 10, 21, 9);
    const end = (endTime: string) =>
      resolveWindow({ bucketSize: 'hour', startTime: text(hour - hourMs), endTime }, now).end;
    assert.equal(end('2026-11-21T09:00:00.000Z'), hour);
    assert.equal(end('2026-11-21T09:00:00.000000001Z'), hour + hourMs);
    assert.equal(end('2026-11-21T08:59:59.999000001Z'), hour);
  });

  it('has at most the maximum number of buckets of its size', () => {
    for (const [bucketSize, bucketMs] of [
      ['hour', hourMs],
      ['day', DAY_MS],
      ['week', 7 * DAY_MS],
    ] as const) {
      // A Monday.
      const start = Date.UTC(1900, 0, 1);
      const startTime = text(start);
      const most = start + MAX_BUCKETS * bucketMs;
      assert.equal(resolveWindow({ bucketSize, startTime, endTime: text(most) }, now).end, most);
      refuses({ bucketSize, startTime, endTime: text(most + 1) }, /more than 200000 buckets/);
    }
    refuses({ lastN: MAX_BUCKETS + 1 }, /^lastN: .*more than 200000 buckets/);
    const { start, end } = resolveWindow({ bucketSize: 'hour', lastN: MAX_BUCKETS }, now);
    assert.equal(end - start, MAX_BUCKETS * hourMs);
  });

  it('is refused if it is empty, if lastN has a time beside it, or outside the years 1 to 9999', () => {
    const time = text(now);
    refuses({ startTime: time, endTime: time }, /startTime must be before endTime/);
    refuses({ startTime: time, endTime: text(now - 1) }, /startTime must be before endTime/);
    refuses({ lastN: 1, startTime: time }, /lastN cannot be combined/);
    refuses({ lastN: 1, endTime: time }, /lastN cannot be combined/);
    const most = { bucketSize: 'year', startTime: '0001-01-01T00:00:00Z' } as const;
    assert.equal([...bucketsOf(resolveWindow({ ...most, endTime: '9998-12-31T23:59:59Z' }, now))].length, 9_998);
    // The end of the last year is in the year 10000, which a time in a response cannot express.
    for (const query of [
      { ...most, endTime: '9999-01-01T00:00:01Z' },
      { bucketSize: 'year', lastN: 2_027 },
    ] as const)
      refuses(query, /whole buckets, must lie within the years 1 to 9999/);
  });
});
