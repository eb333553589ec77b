import assert from 'node:assert/strict';
import { dailyTime, estimateCosts, type EstimateInput } from '../../../../src/features/spend/model/estimate.ts';
import { prices } from '../sample.ts';

const load = { secondsPerJob: 2, jobsPerDay: 100, coldStartSeconds: 5, idleTimeoutSeconds: 10, minWorkers: 0 };
const input = (changes: Partial<EstimateInput>): EstimateInput => ({
  ...load,
  hardware: { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
  prices,
  ...changes,
});

describe('The billed time of a day', () => {
  it('contains a start and the idle timeout for each job if the pause between jobs is long', () => {
    assert.deepEqual(dailyTime(load), {
      pattern: 'startPerJob',
      jobs: 200,
      starts: 100,
      starting: 500,
      idle: 1_000,
      total: 1_700,
    });
  });

  it('contains a start for each job only if the pause between jobs exceeds the idle timeout', () => {
    // The pause between 100 jobs a day of 2 seconds is 862 seconds.
    for (const [idleTimeoutSeconds, pattern] of [
      [861, 'startPerJob'],
      [862, 'staysUp'],
      [863, 'staysUp'],
    ] as const)
      assert.equal(dailyTime({ ...load, idleTimeoutSeconds }).pattern, pattern, `${idleTimeoutSeconds}`);
  });

  it('contains the rest of the day if workers do not stop between jobs', () => {
    const time = dailyTime({ ...load, jobsPerDay: 20_000 });
    assert.deepEqual(time, {
      pattern: 'staysUp',
      jobs: 40_000,
      starts: 0,
      starting: 0,
      idle: 46_400,
      total: 86_400,
    });
    // Two workers are needed.
    assert.equal(dailyTime({ ...load, jobsPerDay: 50_000 }).total, 2 * 86_400);
  });

  it('contains the whole day of the workers that are always up', () => {
    const always = { ...load, minWorkers: 2 };
    const { pattern, starts, idle, total } = dailyTime(always);
    assert.deepEqual([pattern, starts, idle, total], ['alwaysOn', 0, 2 * 86_400 - 200, 2 * 86_400]);
    assert.equal(dailyTime({ ...always, jobsPerDay: 100_000 }).total, 200_000);
    assert.equal(dailyTime({ ...always, jobsPerDay: 0 }).total, 2 * 86_400);
  });

  it('contains only the jobs if their time includes starts and idle time', () => {
    const metered = { ...load, coldStartSeconds: 0, idleTimeoutSeconds: 0 };
    assert.equal(dailyTime(metered).total, 200);
    assert.equal(dailyTime({ ...metered, jobsPerDay: 100_000 }).total, 200_000);
  });

  it('is zero without jobs', () => {
    assert.equal(dailyTime({ ...load, jobsPerDay: 0 }).total, 0);
  });
});

describe('An estimate', () => {
  it('contains every pool and flavor with a price, cheapest first, and marks the choice', () => {
    const { offers } = estimateCosts(input({}));
    assert.deepEqual(
      offers.map(({ id, count, perHour, isChosen }) => [id, count, perHour, isChosen]),
      [
        ['cpu3c', 2, 0.072, true],
        ['TINY', 1, 0.36, false],
        ['SMALL', 1, 0.75, false],
        ['LARGE', 1, 2, false],
      ],
    );
  });

  it('multiplies the billed time by the price', () => {
    const [first] = estimateCosts(input({})).offers;
    const rounded = [first?.perJob, first?.perDay, first?.perMonth].map((usd) => usd?.toFixed(6));
    assert.deepEqual(rounded, ['0.000040', '0.034000', '1.020000']);
  });

  it('uses the number of GPUs, and omits pools that do not offer it and excluded types', () => {
    const gpu = { pools: ['SMALL', 'TINY'], count: 4, excludedTypes: ['b'] };
    const offers = estimateCosts(input({ hardware: { gpu } })).offers.filter(({ kind }) => kind === 'gpu');
    assert.deepEqual(
      offers.map(({ id, perHour, names, isChosen }) => [id, perHour, names, isChosen]),
      [
        ['TINY', 1.44, ['E'], true],
        ['SMALL', 2, ['A'], true],
      ],
    );
  });

  it('compares flavors with the lowest number of vCPUs for GPU hardware', () => {
    const { offers } = estimateCosts(input({ hardware: { gpu: { pools: ['TINY'] } } }));
    assert.deepEqual(
      offers.filter(({ kind }) => kind === 'cpu').map(({ id, count }) => [id, count]),
      [
        ['cpu3c', 2],
        ['cpu9x', 8],
      ],
    );
  });

  it('is empty without prices', () => {
    assert.deepEqual(estimateCosts(input({ prices: {} })).offers, []);
  });
});
