// Clauses of the interface: Endpoints 1.
import assert from 'node:assert/strict';
import { bucketsOf, resolveWindow } from '../../../src/platform/domain/buckets.ts';
import { Refusal } from '../../../src/platform/domain/refusal.ts';

const at = (text: string): number => Date.parse(text);
const now = at('2026-03-18T14:25:30.500Z'); // A Wednesday.
const text = ({ start, end }: { start: number; end: number }) =>
  `${new Date(start).toISOString()}/${new Date(end).toISOString()}`.replaceAll(':00.000Z', 'Z');

describe('Billing windows', () => {
  it('cover thirty days up to now by default, in whole days', () => {
    const window = resolveWindow({}, now);
    assert.equal(text(window), '2026-02-16T00:00Z/2026-03-19T00:00Z');
    assert.equal([...bucketsOf(window)].length, 31);
  });

  it('begin thirty days before the first moment of a day, to the millisecond', () => {
    assert.equal(text(resolveWindow({}, at('2026-03-18T00:00:00.001Z'))), '2026-02-16T00:00Z/2026-03-19T00:00Z');
  });

  it('round the start down and the end up, unless it is on a boundary', () => {
    const query = { startTime: '2026-03-01T05:59:59Z', endTime: '2026-03-01T10:00:00+02:00' };
    assert.equal(text(resolveWindow({ ...query, bucketSize: 'hour' }, now)), '2026-03-01T05:00Z/2026-03-01T08:00Z');
    assert.equal(text(resolveWindow({ ...query, bucketSize: 'month' }, now)), '2026-03-01T00:00Z/2026-04-01T00:00Z');
  });

  const lastTwo = {
    hour: '2026-03-18T13:00Z/2026-03-18T15:00Z',
    day: '2026-03-17T00:00Z/2026-03-19T00:00Z',
    week: '2026-03-09T00:00Z/2026-03-23T00:00Z',
    month: '2026-02-01T00:00Z/2026-04-01T00:00Z',
    year: '2025-01-01T00:00Z/2027-01-01T00:00Z',
  } as const;
  for (const [bucketSize, expected] of Object.entries(lastTwo)) {
    it(`end with the current ${bucketSize} for lastN`, () => {
      const window = resolveWindow({ lastN: 2, bucketSize: bucketSize as keyof typeof lastTwo }, now);
      assert.equal(text(window), expected);
      assert.equal([...bucketsOf(window)].length, 2);
    });
  }

  it('support leap years, and ignore daylight saving time', () => {
    const february = resolveWindow({ startTime: '2028-02-01T00:00:00Z', endTime: '2028-03-01T00:00:00Z' }, now);
    assert.equal([...bucketsOf(february)].length, 29);
    const changeover = { startTime: '2026-03-29T00:00:00Z', endTime: '2026-03-30T00:00:00Z' };
    assert.equal([...bucketsOf(resolveWindow({ ...changeover, bucketSize: 'hour' }, now))].length, 24);
  });

  it('can have 200,000 weeks, and not one more', () => {
    const weeks = (count: number) => {
      const end = new Date(at('0001-01-01T00:00:00Z') + count * 7 * 86_400_000).toISOString();
      return resolveWindow({ startTime: '0001-01-01T00:00:00Z', endTime: end, bucketSize: 'week' }, now);
    };
    assert.ok(weeks(200_000).end > now);
    assert.throws(() => weeks(200_001), /more than 200000 buckets/);
  });

  it('can have 200,000 buckets', () => {
    const startTime = new Date(at('2026-03-18T15:00:00Z') - 200_000 * 3_600_000).toISOString();
    const window = resolveWindow({ startTime, bucketSize: 'hour' }, now);
    assert.equal([...bucketsOf(window)].length, 200_000);
  });

  for (const [bucketSize, first, most] of [
    ['hour', '2003-05-25T07:00Z', 200_000],
    ['day', '1478-08-19T00:00Z', 200_000],
    ['week', '0001-01-01T00:00Z', 105_671],
    ['month', '0001-01-01T00:00Z', 24_303],
    ['year', '0001-01-01T00:00Z', 2_026],
  ] as const) {
    it(`can have the last ${most} ${bucketSize}s, and are rejected for more`, () => {
      const window = resolveWindow({ lastN: most, bucketSize }, now);
      assert.equal(text(window).split('/')[0], first);
      assert.equal([...bucketsOf(window)].length, most);
      const reason = most === 200_000 ? /more than 200000 buckets/ : /within the years 1 to 9999/;
      assert.throws(() => resolveWindow({ lastN: most + 1, bucketSize }, now), reason);
      for (const lastN of [200_001, 1e12, Number.MAX_SAFE_INTEGER]) {
        assert.throws(
          () => resolveWindow({ lastN, bucketSize }, now),
          (error) => error instanceof Refusal && error.status === 400 && error.message.includes('200000 buckets'),
        );
      }
    });
  }

  it('round up a fraction of a millisecond at the end', () => {
    const query = { startTime: '2026-03-01T00:00:00z', bucketSize: 'hour' } as const;
    const end = (endTime: string) => text(resolveWindow({ ...query, endTime }, now)).split('/')[1];
    assert.equal(end('2026-03-01t10:00:00.000000Z'), '2026-03-01T10:00Z');
    assert.equal(end('2026-03-01T10:00:00.000001Z'), '2026-03-01T11:00Z');
    assert.equal(end('2026-03-01t10:00:00.000000001Z'), '2026-03-01T11:00Z');
    assert.equal(end('2016-12-31T23:59:60Z'.replace('2016', '2026')), '2027-01-01T00:00Z');
  });

  const refused = {
    'lastN with a start': { lastN: 1, startTime: '2026-01-01T00:00:00Z' },
    'lastN with an end': { lastN: 1, endTime: '2026-01-01T00:00:00Z' },
    'an end beyond the year 9999': { bucketSize: 'year', endTime: '9999-06-01T00:00:00Z' },
    'a start before the year 1': {
      bucketSize: 'week',
      startTime: '0000-01-01T00:00:00Z',
      endTime: '0000-02-01T00:00:00Z',
    },
    'a start at the end': { startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-01T00:00:00Z' },
    'a start after now': { startTime: '2027-01-01T00:00:00Z' },
    'too many buckets': { startTime: '2003-01-01T00:00:00Z', bucketSize: 'hour' },
  } as const;
  for (const [what, query] of Object.entries(refused)) {
    it(`are rejected for ${what}`, () => {
      assert.throws(
        () => resolveWindow(query, now),
        (error) => error instanceof Refusal && error.status === 400,
      );
    });
  }
});
