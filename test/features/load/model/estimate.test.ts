import assert from 'node:assert/strict';
import { estimateLoad, Spend, type EstimatedLoad } from '../../../../src/features/load/model/estimate.ts';

/** One dollar per second and worker. */
const PRICE = 3_600;

const estimate = (changes: Partial<EstimatedLoad> = {}) =>
  estimateLoad({
    ...{ arrivals: 100, seconds: 10, drainSeconds: 5, secondsPerArrival: 0.2, pricePerHour: PRICE },
    workers: { min: 0, max: 3, idleTimeout: 2 },
    ...changes,
  });

describe('the estimated cost of a load test', () => {
  it('is the time of its arrivals, and one idle timeout of each worker that they need', () => {
    assert.equal(estimate(), 100 * 0.2 + 2 * 2);
  });

  it('is that of the permanent workers if they are more than the arrivals need', () => {
    assert.equal(estimate({ arrivals: 1, workers: { min: 3, max: 3, idleTimeout: 2 } }), 30);
  });

  it('is at most that of all workers, which is also the estimate if no time is known', () => {
    const all = 3 * (10 + 5 + 2);
    assert.equal(estimate({ secondsPerArrival: 60 }), all);
    assert.equal(estimate({ secondsPerArrival: undefined }), all);
  });
});

describe('the spend of a load test', () => {
  it('is the larger one of what jobs report and of what workers cost', () => {
    const spend = new Spend(PRICE);
    spend.addExecution(4_000);
    assert.equal(spend.at(0), 4);
    spend.setWorkers(2 * PRICE, 0);
    assert.equal(spend.at(1_000), 4);
    assert.equal(spend.at(3_000), 6);
    spend.setWorkers(0, 3_000);
    assert.equal(spend.at(9_000), 6);
  });

  it('expects that jobs in flight take as long as ended ones, and that workers stay until their idle timeout', () => {
    const spend = new Spend(PRICE);
    spend.addExecution(1_000);
    spend.addExecution(3_000);
    assert.equal(spend.committedAt(0, { inFlight: 5, idleTimeout: 60 }), 4 + 5 * 2);
    spend.setWorkers(PRICE, 0);
    assert.equal(spend.committedAt(1_000, { inFlight: 0, idleTimeout: 60 }), 61);
    // Of two workers, one is permanent, and would also cost without the load test.
    spend.setWorkers(2 * PRICE, 1_000, 0.5);
    assert.equal(spend.committedAt(1_000, { inFlight: 0, idleTimeout: 60 }), 61);
  });

  it('is not known without a price', () => {
    const spend = new Spend(undefined);
    assert.deepEqual([spend.at(0), spend.committedAt(0, { inFlight: 1, idleTimeout: 1 })], [undefined, undefined]);
  });
});
