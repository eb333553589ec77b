import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decideScaling } from '../../../src/platform/domain/autoscaler.ts';
import { decidePlainly } from './plainAutoscaler.ts';

const NOW = 100_000;
/** Few different times, so that many are equal, and those of the limits below occur. */
const time = fc.nat({ max: 12 }).map((steps) => NOW - 500 * steps);
const seconds = fc.nat({ max: 5 }).map((count) => 1_000 * count);

const settings = fc.record({
  scaling: fc.oneof(
    fc.record({ type: fc.constant('QUEUE_DELAY' as const), queueDelay: fc.constantFrom(0.5, 1, 3) }),
    fc.record({ type: fc.constant('REQUEST_COUNT' as const), requestCount: fc.integer({ min: 1, max: 3 }) }),
  ),
  min: fc.nat({ max: 3 }),
  max: fc.nat({ max: 5 }),
  idleTimeoutMs: seconds,
  standbyMs: fc.oneof(fc.constant(0), seconds),
});
const demand = fc.record({
  waitingSince: fc.array(time, { maxLength: 6 }).map((times) => times.sort((left, right) => left - right)),
  running: fc.nat({ max: 5 }),
});
const workers = fc.array(
  fc.record({
    state: fc.constantFrom('throttled', 'starting', 'idle', 'idle', 'busy', 'unhealthy', 'standby'),
    since: time,
    retired: fc.boolean(),
    held: fc.boolean(),
  }),
  { maxLength: 9 },
);

describe('decideScaling', () => {
  it('decides for any workers as plain list operations do', () => {
    fc.assert(
      fc.property(settings, demand, workers, (scaled, work, some) => {
        const observed = some.map((worker, index) => ({ id: String(index), ...worker }));
        assert.deepEqual(decideScaling(scaled, work, observed, NOW), decidePlainly(scaled, work, observed, NOW));
      }),
      { numRuns: 3_000 },
    );
  });
});
