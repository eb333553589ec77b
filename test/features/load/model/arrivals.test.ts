import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  arrivalTimes,
  expectedArrivals,
  loadSeconds,
  type RateProfile,
  parseRates,
  ratesText,
} from '../../../../src/features/load/model/arrivals.ts';

const profile = (changes: Partial<RateProfile> = {}): RateProfile => ({
  ...{ kind: 'rate', rate: 10, rampTo: changes.rate ?? 10, seconds: 60, arrivals: 'constant', seed: 1, ...changes },
});
const timesOf = (changes: Partial<RateProfile>) => [...arrivalTimes(profile(changes))];
const rates = fc.double({ min: 0.5, max: 200, noNaN: true });

describe('arrivals', () => {
  it('at a constant rate have equal intervals, and begin at once', () => {
    assert.deepEqual(timesOf({ rate: 4, seconds: 1 }), [0, 250, 500, 750]);
  });

  it('are in ascending order within the time of the test', () => {
    fc.assert(
      fc.property(
        rates,
        rates,
        fc.constantFrom('constant', 'poisson'),
        fc.integer(),
        (rate, rampTo, arrivals, seed) => {
          const times = timesOf({
            ...{ rate, rampTo, seed, seconds: 20 },
            arrivals,
          });
          assert.ok(times.every((at, index) => at >= (times[index - 1] ?? 0) && at < 20_000));
        },
      ),
    );
  });

  it('have the number of the profile, also while the rate changes', () => {
    fc.assert(
      fc.property(rates, rates, (rate, rampTo) => {
        const expected = expectedArrivals(profile({ rate, rampTo, seconds: 20 }));
        assert.ok(Math.abs(timesOf({ rate, rampTo, seconds: 20 }).length - expected) <= 1);
      }),
    );
  });

  it('of a ramp have the rate of each moment', () => {
    const times = timesOf({ rate: 0, rampTo: 100, seconds: 100 });
    const inSecond = (second: number) => times.filter((at) => Math.floor(at / 1_000) === second).length;
    for (const second of [10, 50, 90]) assert.ok(Math.abs(inSecond(second) - (second + 0.5)) <= 1, `second ${second}`);
  });

  it('of a falling ramp end with it', () => {
    assert.ok(Math.abs(timesOf({ rate: 50, rampTo: 0, seconds: 10 }).length - 250) <= 1);
  });

  it('of Poisson have the mean and the variance of their rate', () => {
    // The numbers of arrivals per second have a mean and a variance of 20.
    const seconds = 20_000;
    const counts = Array.from({ length: seconds }, () => 0);
    for (const at of timesOf({ rate: 20, seconds, arrivals: 'poisson', seed: 7 })) {
      const second = Math.floor(at / 1_000);
      counts[second] = (counts[second] ?? 0) + 1;
    }
    const mean = counts.reduce((sum, count) => sum + count, 0) / seconds;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / seconds;
    assert.ok(Math.abs(mean - 20) < 0.2, `mean ${mean}`);
    assert.ok(Math.abs(variance - 20) < 1, `variance ${variance}`);
  });

  it('of Poisson have independent intervals with the deviation of their mean', () => {
    const times = timesOf({ rate: 50, seconds: 2_000, arrivals: 'poisson', seed: 3 });
    const intervals = times.map((at, index) => at - (times[index - 1] ?? 0));
    const mean = intervals.reduce((sum, ms) => sum + ms, 0) / intervals.length;
    const deviation = Math.sqrt(intervals.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / intervals.length);
    assert.ok(Math.abs(mean - 20) < 0.4, `mean ${mean}`);
    assert.ok(Math.abs(deviation - 20) < 0.6, `deviation ${deviation}`);
  });

  it('are the same for the same seed, and others for another one', () => {
    const times = (seed: number) => timesOf({ arrivals: 'poisson', seed });
    assert.deepEqual(times(5), times(5));
    assert.notDeepEqual(times(5), times(6));
  });

  it('of a trace are its times', () => {
    const trace = { kind: 'trace', offsets: [0, 10, 10, 500] } as const;
    assert.deepEqual([...arrivalTimes(trace)], trace.offsets);
    assert.deepEqual([expectedArrivals(trace), loadSeconds(trace)], [4, 0.5]);
  });
});

describe('the rates of a load test', () => {
  for (const [text, rates] of [
    ['5', { rate: 5, rampTo: 5, arrivals: 'constant' }],
    [' 0.5-50 ', { rate: 0.5, rampTo: 50, arrivals: 'constant' }],
    ['0-10', { rate: 0, rampTo: 10, arrivals: 'constant' }],
    ['5 random', { rate: 5, rampTo: 5, arrivals: 'poisson' }],
    ['5-50  random', { rate: 5, rampTo: 50, arrivals: 'poisson' }],
  ] as const)
    it(`are read from “${text}”, and written so that they are read again`, () => {
      assert.deepEqual(parseRates(text), rates);
      assert.deepEqual(parseRates(ratesText(rates)), rates);
    });

  for (const text of ['', '0', '-5', '5-', '10001', '5 50', 'random', '5random', '1e3'])
    it(`are not “${text}”`, () => {
      assert.equal(parseRates(text), undefined);
    });
});
