import * as fc from 'fast-check';
import { SimulatedLoad, SimulatedSettings } from '../../../src/contract/launch/simulation.ts';

/**
 * Returns a load of jobs that take a second each, on workers that start in 3 s and resume in 0.5 s.
 *
 * @param arrivals times in ms after the first second of the load. Its first decision is over by then.
 */
export function loadOf(arrivals: readonly number[], changes: Partial<SimulatedLoad> = {}): SimulatedLoad {
  return SimulatedLoad.parse({
    ...{ type: 'QUEUE', durationMs: 0, arrivalsMs: arrivals.map((at) => 1_000 + at) },
    ...{ executionsMs: [1_000], coldStartsMs: [3_000], resumesMs: [500], ...changes },
  });
}

/** Returns settings with at most one worker, which costs 1 USD per second and stops 5 s after its last job. */
export function settingsOf(changes: Partial<SimulatedSettings> = {}): SimulatedSettings {
  return SimulatedSettings.parse({
    ...{ id: 'one', scaling: { type: 'QUEUE_DELAY', queueDelay: 2 }, min: 0, max: 1, idleTimeoutMs: 5_000 },
    ...{ flashboot: 'OFF', usdPerSecond: 1, ...changes },
  });
}

const millis = (max: number): fc.Arbitrary<number> => fc.nat({ max });

/** Loads in which several things happen at once, because their times are multiples of 10 ms. */
export const someLoad = fc
  .record({
    type: fc.constantFrom('QUEUE' as const, 'LOAD_BALANCER' as const),
    durationMs: fc.nat({ max: 100_000 }),
    gapsMs: fc.array(fc.oneof(millis(50), millis(2_000), millis(60_000)), { maxLength: 60 }),
    executionsMs: fc.array(millis(800), { minLength: 1, maxLength: 7 }),
    coldStartsMs: fc.array(millis(600), { minLength: 1, maxLength: 3 }),
    processStartsMs: fc.array(millis(100), { minLength: 1, maxLength: 3 }),
    resumesMs: fc.array(millis(50), { minLength: 1, maxLength: 3 }),
    handOverMs: fc.constantFrom(0, 0, 1, 30),
    concurrency: fc.constantFrom(1, 1, 2, 5),
    executionTimeoutMs: fc.option(millis(600), { nil: undefined }),
    ttlMs: fc.option(millis(3_000), { nil: undefined }),
    capacity: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
  })
  .map(({ gapsMs, ...load }) => {
    let at = 0;
    const tenfold = (values: readonly number[]): number[] => values.map((value) => 10 * value);
    return SimulatedLoad.parse({
      ...load,
      arrivalsMs: gapsMs.map((gap) => (at += 10 * gap)),
      executionsMs: tenfold(load.executionsMs),
      coldStartsMs: tenfold(load.coldStartsMs),
      processStartsMs: tenfold(load.processStartsMs),
      resumesMs: tenfold(load.resumesMs),
      ...(load.executionTimeoutMs !== undefined && { executionTimeoutMs: 10 * load.executionTimeoutMs }),
      ...(load.ttlMs !== undefined && { ttlMs: 10 * load.ttlMs }),
    });
  });

export const someSettings = fc
  .record({
    id: fc.constant('any'),
    scaling: fc.oneof(
      fc.record({ type: fc.constant('QUEUE_DELAY' as const), queueDelay: fc.constantFrom(0.5, 1, 4) }),
      fc.record({ type: fc.constant('REQUEST_COUNT' as const), requestCount: fc.integer({ min: 1, max: 4 }) }),
    ),
    min: fc.constantFrom(0, 0, 1, 3),
    max: fc.integer({ min: 0, max: 25 }),
    idleTimeoutMs: fc.constantFrom(0, 20, 1_000, 5_000, 60_000),
    flashboot: fc.constantFrom('OFF' as const, 'FLASHBOOT' as const),
    usdPerSecond: fc.constantFrom(0, 0.25, 1),
    executionFactor: fc.constantFrom(1, 0.5, 3),
  })
  .map((settings) => SimulatedSettings.parse(settings));
