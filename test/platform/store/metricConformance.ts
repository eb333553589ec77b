import assert from 'node:assert/strict';
import type { Store } from '../../../src/platform/store/store.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const start = Date.parse('2026-03-01T00:00:00Z');

/** Conformance tests of a store of metrics. */
export function metricConformance(name: string, open: () => Store): void {
  describe(`Metric store conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    const arrive = (at: number, ms = 100, release = 1): void =>
      store.transaction(() => {
        store.metrics.measure({ endpointId: 'e', release, at }, (measured) => {
          measured.arrivals++;
          measured.addDuration('execution', ms);
        });
      });

    const rollUp = (now: number): void => {
      while (store.metrics.rollUp(now));
    };

    /** Returns the arrivals by the start of the stored bucket, in seconds, and the release. */
    const arrivals = (stepMs: number, release?: number): Record<string, number> => {
      const rows = store.metrics.select({ endpointId: 'e', from: start, to: start + 400 * DAY_MS, release }, stepMs);
      return Object.fromEntries(
        rows
          .toSorted((one, other) => one.start - other.start)
          .map((row) => [`${(row.start - start) / SECOND_MS}r${row.release}`, row.measured.arrivals]),
      );
    };

    it('adds what transactions measure in the bucket of its time and release', () => {
      store.transaction(() => {
        arrive(start);
        arrive(start + 9_999);
      });
      arrive(start + 5_000);
      arrive(start + 10_000);
      arrive(start + 5_000, 100, 2);
      assert.deepEqual(arrivals(10 * SECOND_MS), { '0r1': 3, '0r2': 1, '10r1': 1 });
      assert.deepEqual(arrivals(10 * SECOND_MS, 2), { '0r2': 1 });
    });

    it('forgets what a failed transaction has measured', () => {
      arrive(start);
      assert.throws(() =>
        store.transaction(() => {
          arrive(start);
          throw new Error('later in the transaction');
        }),
      );
      arrive(start);
      assert.deepEqual(arrivals(10 * SECOND_MS), { '0r1': 2 });
    });

    it('reads each value once, at any step, before and after a roll-up', () => {
      for (const seconds of [0, 15, 70, 1_000]) arrive(start + seconds * SECOND_MS);
      const sum = (stepMs: number): number => Object.values(arrivals(stepMs)).reduce((all, one) => all + one, 0);
      const check = (): void => {
        for (const stepMs of [10 * SECOND_MS, MINUTE_MS, HOUR_MS]) assert.equal(sum(stepMs), 4, String(stepMs));
      };
      check();
      rollUp(start + 1_200 * SECOND_MS);
      check();
      assert.deepEqual(arrivals(MINUTE_MS), { '0r1': 2, '60r1': 1, '960r1': 1 });
      rollUp(start + 3 * HOUR_MS);
      assert.deepEqual(arrivals(HOUR_MS), { '0r1': 4 });
    });

    it('adds late values to a bucket that is already rolled up', () => {
      arrive(start);
      rollUp(start + 10 * MINUTE_MS);
      arrive(start, 300);
      assert.deepEqual(arrivals(MINUTE_MS), { '0r1': 2 });
      rollUp(start + 3 * HOUR_MS);
      arrive(start + 1, 500);
      rollUp(start + 4 * HOUR_MS);
      const [row, ...others] = store.metrics.select({ endpointId: 'e', from: start, to: start + DAY_MS }, HOUR_MS);
      assert.equal(others.length, 0);
      const executions = row?.measured.duration('execution');
      assert.deepEqual([executions?.count, executions?.sum, executions?.max], [3, 900, 500]);
    });

    it('removes buckets in the end: short ones after an hour, those of minutes after two days, and of hours after a year', () => {
      arrive(start);
      rollUp(start + 59 * MINUTE_MS);
      assert.deepEqual(arrivals(10 * SECOND_MS), { '0r1': 1 });
      rollUp(start + 2 * HOUR_MS);
      assert.deepEqual(arrivals(10 * SECOND_MS), {});
      assert.deepEqual(arrivals(MINUTE_MS), { '0r1': 1 });
      rollUp(start + 3 * DAY_MS);
      assert.deepEqual(arrivals(MINUTE_MS), {});
      rollUp(start + 365 * DAY_MS);
      assert.deepEqual(arrivals(HOUR_MS), { '0r1': 1 });
      rollUp(start + 367 * DAY_MS);
      assert.deepEqual(arrivals(HOUR_MS), {});
    });

    it('rolls up many buckets in parts', () => {
      store.transaction(() => {
        for (let bucket = 0; bucket < 300; bucket++) arrive(start + bucket * 10 * SECOND_MS);
      });
      let parts = 1;
      while (store.metrics.rollUp(start + DAY_MS)) parts++;
      assert.ok(parts > 3, `${parts} parts`);
      assert.deepEqual(arrivals(HOUR_MS), { '0r1': 300 });
    });

    it('stores the times in which the platform ran, and replaces those with the same start', () => {
      const runs = (from: number, to: number) => store.metrics.runs({ from: start + from, to: start + to });
      const run = (from: number, to: number) => ({ from: start + from, to: start + to });
      store.metrics.setRun(run(0, 10));
      store.metrics.setRun(run(0, 20));
      store.metrics.setRun(run(50, 60));
      assert.deepEqual(runs(0, 100), [run(0, 20), run(50, 60)]);
      assert.deepEqual(runs(30, 100), [run(50, 60)]);
      assert.deepEqual(runs(0, 50), [run(0, 20)]);
    });

    it('stores crashes, and drops the oldest of many', () => {
      const crash = (at: number) => ({ endpointId: 'e', workerId: `w${at}`, release: 1, at: start + at });
      const selection = { endpointId: 'e', from: start, to: start + DAY_MS };
      store.metrics.addCrash({ ...crash(1), endpointId: 'other' });
      store.metrics.addCrash(crash(5));
      assert.deepEqual(store.metrics.crashes(selection), [crash(5)]);
      assert.deepEqual(store.metrics.crashes({ ...selection, release: 2 }), []);
      store.transaction(() => {
        for (let at = 10; at < 1_010; at++) store.metrics.addCrash(crash(at));
      });
      const stored = store.metrics.crashes(selection);
      assert.deepEqual([stored.length, stored[0]], [1_000, crash(10)]);
    });

    it('removes the metrics of an endpoint', () => {
      arrive(start);
      store.transaction(() =>
        store.metrics.measure({ endpointId: 'f', release: 1, at: start }, (one) => one.arrivals++),
      );
      assert.equal(store.metrics.remove('e'), true);
      assert.equal(store.metrics.remove('e'), false);
      assert.deepEqual(arrivals(10 * SECOND_MS), {});
      assert.equal(store.metrics.select({ endpointId: 'f', from: start, to: start + DAY_MS }, HOUR_MS).length, 1);
      arrive(start);
      assert.deepEqual(arrivals(10 * SECOND_MS), { '0r1': 1 });
    });
  });
}
