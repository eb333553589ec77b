import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { SimulatedLoad, SimulatedSettings } from '../../../src/contract/launch/simulation.ts';
import { percentiles, groupSettings, simulateGroup, simulate } from '../../../src/platform/simulation/simulation.ts';
import { prepareLoad } from '../../../src/platform/simulation/preparedLoad.ts';
import { someLoad, someSettings } from './simulationSupport.ts';

const RUNS = { numRuns: 1_000 };

describe('The simulation of any load', () => {
  it('has the same result if the autoscaler makes every decision', () => {
    fc.assert(
      fc.property(someLoad, someSettings, (load, settings) => {
        const prepared = prepareLoad(load);
        assert.deepEqual(simulate(prepared, settings), simulate(prepared, settings, { isThorough: true }));
      }),
      { numRuns: 5_000 },
    );
  });

  it('ends every job once', () => {
    fc.assert(
      fc.property(someLoad, someSettings, (load, settings) => {
        const { completed, timedOut } = resultOf(load, settings);
        assert.equal(completed + timedOut, load.arrivalsMs.length);
      }),
      RUNS,
    );
  });

  it('runs no more workers than the maximum and the capacity, and pays for all work', () => {
    fc.assert(
      fc.property(someLoad, someSettings, (load, settings) => {
        const { peakWorkers, utilization } = resultOf(load, settings);
        assert.ok(peakWorkers <= Math.min(settings.max, load.capacity ?? Infinity));
        assert.ok(utilization === null || (utilization >= 0 && utilization <= 1));
      }),
      RUNS,
    );
  });

  it('costs in proportion to the price, which changes nothing else', () => {
    fc.assert(
      fc.property(someLoad, someSettings, (load, settings) => {
        const cheap = resultOf(load, { ...settings, usdPerSecond: 0.25 });
        const dear = resultOf(load, { ...settings, usdPerSecond: 1 });
        assert.deepEqual({ ...cheap, usd: 4 * cheap.usd }, dear);
      }),
      RUNS,
    );
  });

  it('has the same results for settings that are simulated together', () => {
    const maxima = fc.array(fc.record({ max: fc.nat({ max: 30 }), usdPerSecond: fc.constantFrom(0, 1) }), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(someLoad, someSettings, maxima, (load, settings, differences) => {
        const all = differences.map((one, index) => ({ ...settings, ...one, id: String(index) }));
        const [group = [], ...others] = groupSettings(all);
        assert.equal(others.length, 0);
        const together = new Map(Array.from(simulateGroup(prepareLoad(load), group), (result) => [result.id, result]));
        for (const one of all) assert.deepEqual(together.get(one.id), resultOf(load, one));
      }),
      RUNS,
    );
  });

  it('is not influenced by earlier simulations', () => {
    fc.assert(
      fc.property(someLoad, someSettings, someSettings, (load, settings, other) => {
        const prepared = prepareLoad(load);
        const first = simulate(prepared, settings);
        simulate(prepared, other);
        assert.deepEqual(simulate(prepared, settings), first);
      }),
      RUNS,
    );
  });
});

describe('percentiles', () => {
  it('returns the values that a sort finds', () => {
    const values = fc.array(fc.oneof(fc.nat(), fc.nat({ max: 3 }), fc.maxSafeNat()));
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (some, part) => {
        const sorted = some.toSorted((left, right) => left - right);
        const expected = sorted[Math.max(1, Math.ceil(part * some.length)) - 1] ?? null;
        assert.deepEqual(percentiles(Float64Array.from(some), [part]), [expected]);
      }),
    );
  });
});

function resultOf(load: SimulatedLoad, settings: SimulatedSettings) {
  const [result] = simulateGroup(prepareLoad(load), [settings]);
  return result ?? assert.fail('there is no result');
}
