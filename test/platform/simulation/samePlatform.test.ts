import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { SimulatedLoad, SimulatedSettings } from '../../../src/contract/launch/simulation.ts';
import { percentiles, simulateGroup } from '../../../src/platform/simulation/simulation.ts';
import { prepareLoad } from '../../../src/platform/simulation/preparedLoad.ts';
import { observe, USD_PER_SECOND } from './virtualPlatform.ts';

/** Time after which all jobs have ended, and all workers above the minimum have stopped. */
const TAIL_MS = 600_000;
const ms = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const times = (min: number, max: number) => fc.array(ms(min, max), { minLength: 1, maxLength: 9 });

/** Loads whose events rarely happen at the same time, because the order of such events is not defined. The seed is fixed for that reason. */
const someLoad = fc
  .record({
    gaps: fc.array(fc.oneof(ms(1, 300), ms(1, 5_000), ms(1, 40_000)), { minLength: 1, maxLength: 25 }),
    // Even ones, which no time limit equals.
    executionsMs: times(1, 4_500).map((all) => all.map((one) => 2 * one)),
    coldStartsMs: times(1, 7_000),
    processStartsMs: times(1, 900),
    handOverMs: fc.constantFrom(0, 0, 7),
    capacity: fc.option(ms(1, 3), { nil: undefined }),
    limits: fc.constantFrom(
      {},
      {},
      { executionTimeoutMs: 6_001, handOverMs: 0 },
      { ttlMs: 10_007, handOverMs: 0 },
      { concurrency: 3 },
    ),
  })
  .map(({ gaps, limits, ...load }) => {
    let at = 100;
    const arrivalsMs = gaps.map((gap) => (at += gap));
    return SimulatedLoad.parse({
      type: 'QUEUE',
      ...load,
      ...limits,
      resumesMs: [0],
      arrivalsMs,
      durationMs: at + TAIL_MS,
    });
  });

const someSettings = fc
  .record({
    scaling: fc.oneof(
      fc.record({ type: fc.constant('QUEUE_DELAY' as const), queueDelay: fc.constantFrom(0.5, 1.3, 4) }),
      fc.record({ type: fc.constant('REQUEST_COUNT' as const), requestCount: ms(1, 4) }),
    ),
    min: fc.constantFrom(0, 0, 1, 2),
    max: ms(2, 14),
    idleTimeoutMs: fc.constantFrom(1_000, 5_000, 20_000),
    flashboot: fc.constantFrom('OFF' as const, 'FLASHBOOT' as const),
  })
  .map((settings) =>
    SimulatedSettings.parse({
      ...settings,
      ...(settings.scaling.type === 'REQUEST_COUNT' && { idleTimeoutMs: 10_000 }),
      ...{ id: 'same', usdPerSecond: USD_PER_SECOND },
    }),
  );

describe('The simulation and the real platform', function () {
  this.timeout(120_000);

  it('start, resume, and stop the same workers, with the same waits and the same cost', async () => {
    await fc.assert(
      fc.asyncProperty(someLoad, someSettings, async (load, settings) => {
        const { waits, usd, ...counts } = await observe(load, settings);
        const [result] = simulateGroup(prepareLoad(load), [settings]);
        assert.ok(result);
        const { waitMs, usd: predicted, completed, coldStarts, resumes, peakWorkers } = result;
        assert.deepEqual({ completed, coldStarts, resumes, peakWorkers }, counts);
        assert.deepEqual(Object.values(waitMs), percentiles(waits, [0.5, 0.9, 0.95, 0.99, 1]));
        assert.ok(Math.abs(predicted - usd) < 1e-9, `${predicted} instead of ${usd} USD`);
      }),
      { numRuns: 40, seed: 1 },
    );
  });
});
