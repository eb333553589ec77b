import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FORECAST_BUCKETS, FORECAST_DAYS, forecastMonth, serviceNow } from '../../../src/account/prices/forecast.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2025-11-21T12:00:00Z');

/** Creates daily records that end with the day of `now`. */
const daily = (spends: readonly number[], now = NOW) => {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return spends.map((totalAmount, index) => ({
    startTime: new Date(today - (spends.length - 1 - index) * DAY_MS).toISOString(),
    totalAmount,
  }));
};

describe('forecastMonth', () => {
  it('adds the mean of the last complete days for each day that remains', () => {
    // 20 complete days at $2, half of today at $1, and 9.5 days that remain.
    const forecast = forecastMonth({ records: daily([...new Array<number>(20).fill(2), 1]), now: NOW });
    assert.equal(forecast.spent, 41);
    assert.equal(forecast.expected, 41 + 9.5 * 2);
    assert.deepEqual([forecast.low, forecast.high], [60, 60]);
    assert.deepEqual(forecast.basis, {
      days: FORECAST_DAYS,
      dailyMean: 2,
      start: Date.parse('2025-11-07T00:00Z'),
      end: Date.parse('2025-11-21T00:00Z'),
    });
    assert.deepEqual(forecast.month, { start: Date.parse('2025-11-01T00:00Z'), end: Date.parse('2025-12-01T00:00Z') });
  });

  it('uses the days of the last month at the start of a month, but does not count them as spent', () => {
    const now = Date.parse('2025-12-01T06:00:00Z');
    const forecast = forecastMonth({ records: daily([...new Array<number>(14).fill(3), 0.5], now), now });
    assert.equal(forecast.spent, 0.5);
    assert.equal(forecast.expected, 0.5 + 30.75 * 3);
    assert.equal(forecast.basis.days, 14);
  });

  it('follows a change of use, because only the last 14 days count', () => {
    const forecast = forecastMonth({
      records: daily([...new Array<number>(20).fill(100), ...new Array<number>(14).fill(1), 0]),
      now: NOW,
    });
    assert.equal(forecast.basis.dailyMean, 1);
  });

  it('does not count the days before the first spend of a new account', () => {
    const forecast = forecastMonth({ records: daily([...new Array<number>(58).fill(0), 4, 6, 2, 0]), now: NOW });
    assert.equal(forecast.basis.days, 3);
    assert.equal(forecast.basis.dailyMean, 4);
  });

  it('counts a missing day after the first spend as a day without spend', () => {
    const records = daily([4, 0, 8, 0]);
    const gap = records.filter((_, index) => index !== 1);
    assert.deepEqual(forecastMonth({ records: gap, now: NOW }), forecastMonth({ records, now: NOW }));
  });

  it('computes an 80 % prediction interval', () => {
    // Mean 2, deviation 1, 3 days: t = 1.886, 9.5 days remain.
    const { expected, low, high } = forecastMonth({ records: daily([1, 2, 3, 0]), now: NOW });
    const margin = 1.886 * Math.sqrt(9.5 + 9.5 ** 2 / 3);
    assert.equal(expected, 6 + 19);
    assert.ok(Math.abs(high - (expected + margin)) < 1e-9, `${high}`);
    assert.ok(Math.abs(low - (expected - margin)) < 1e-9, `${low}`);
  });

  it('gives a range from no further spend to twice the mean after one complete day', () => {
    const { spent, expected, low, high } = forecastMonth({ records: daily([2, 1]), now: NOW });
    assert.deepEqual([spent, expected, low, high], [3, 22, 3, 41]);
  });

  it('expects no further spend if no complete day is known', () => {
    for (const records of [[], daily([0.25])]) {
      const { spent, expected, low, high, basis } = forecastMonth({ records, now: NOW });
      assert.deepEqual([expected, low, high, basis.days], [spent, spent, spent, 0]);
    }
  });

  it('expects less than the spend so far if credits outweigh the spend', () => {
    const { spent, expected, low } = forecastMonth({ records: daily([-1, -1, -1, 0]), now: NOW });
    assert.equal(expected, spent - 9.5);
    assert.equal(low, expected);
  });

  it('sums without rounding errors', () => {
    assert.equal(forecastMonth({ records: daily([0.1, 0.2, 0]), now: NOW }).spent, 0.3);
  });

  it('returns ordered finite values for every history and time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: FORECAST_BUCKETS }),
        fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) }),
        (spends, now) => {
          const { low, expected, high } = forecastMonth({ records: daily(spends, now), now });
          assert.ok(Number.isFinite(high) && low <= expected && expected <= high, `${low} ${expected} ${high}`);
        },
      ),
    );
  });
});

describe('serviceNow', () => {
  const running = { startTime: '2025-11-21T00:00:00Z', endTime: '2025-11-22T00:00:00Z' };

  it('is the local time within the current bucket of the service', () => {
    assert.equal(serviceNow(running, NOW), NOW);
  });

  it('stays in the current bucket of the service when the local clock is wrong', () => {
    assert.equal(serviceNow(running, NOW - 3 * DAY_MS), Date.parse('2025-11-21T00:00:00Z'));
    assert.equal(serviceNow(running, NOW + 3 * DAY_MS), Date.parse('2025-11-22T00:00:00Z') - 1);
  });
});
