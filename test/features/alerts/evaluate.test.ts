import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AlertsPart } from '../../../src/contract/alerts.ts';
import { bucketBetween, bucketsOf, type Bucket, type Look } from '../../../src/features/alerts/model/bucket.ts';
import {
  evaluate,
  firing,
  NO_STATE,
  type AlertEvent,
  type AlertState,
} from '../../../src/features/alerts/model/evaluate.ts';

const STEP_MS = 10_000;
const QUIET: Omit<Bucket, 'start' | 'end'> = {
  ...{ succeeded: 0, failed: 0, p99: {}, waiting: false, progress: false, crashes: 0 },
  ...{ running: 0, unhealthy: 0, spendUsd: 0 },
};

/** Returns buckets one after the other, each with these measurements. Undefined leaves a gap. */
function buckets(measured: readonly (Partial<Bucket> | undefined)[], from = 0): Bucket[] {
  return measured.flatMap((one, index) => {
    const start = from + index * STEP_MS;
    return one ? [{ start, end: start + STEP_MS, ...QUIET, ...one }] : [];
  });
}

const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);

function told(alerts: AlertsPart, measured: readonly (Partial<Bucket> | undefined)[]): AlertEvent[] {
  return [...evaluate(NO_STATE, { alerts, isQueue: true }, buckets(measured)).events];
}

const names = (events: readonly AlertEvent[]) => events.map(({ event, at }) => `${event} ${at / 1_000}`);

describe('Alerts', () => {
  describe('failures in a row', () => {
    const alerts = { failuresInARow: 3 };

    it('fire once at the bound, and resolve with the first success', () => {
      const events = told(alerts, [{ failed: 2 }, {}, { failed: 1 }, { failed: 4 }, { succeeded: 1 }]);
      assert.deepEqual(names(events), ['fired 30', 'resolved 50']);
      assert.deepEqual(events[0], {
        ...{
          event: 'fired',
          condition: 'failuresInARow',
          value: 3,
          bound: 3,
          since: 0,
          at: 30_000,
          look: 'explanation',
        },
      });
    });

    it('do not count across a success, not even in the same period', () => {
      const mixed = { failed: 2, succeeded: 1 };
      assert.deepEqual(told(alerts, [{ failed: 2 }, mixed, { failed: 2 }, mixed]), []);
    });
  });

  describe('a slow percentile', () => {
    const alerts = { p99: { over: 2, for: 60 } };
    const [slow, fast, idle] = [{ p99: { endToEnd: 3 } }, { p99: { endToEnd: 1 } }, {}];

    it('fires after its time, and resolves after the same time below the bound', () => {
      const events = told(alerts, [...times(8, slow), ...times(8, fast)]);
      assert.deepEqual(names(events), ['fired 60', 'resolved 140']);
      assert.equal(events[0]?.look, 'metrics');
    });

    it('fires once while it hovers at the bound', () => {
      const events = told(alerts, [...times(6, slow), ...times(60, [fast, slow]).flat()]);
      assert.deepEqual(names(events), ['fired 60']);
    });

    it('does not fire for single slow jobs, nor across a fast one', () => {
      assert.deepEqual(told(alerts, [slow, ...times(20, idle), slow]), []);
      assert.deepEqual(told(alerts, times(20, [slow, slow, fast]).flat()), []);
    });

    it('resolves when nothing runs any more, but not while slow jobs run', () => {
      const running = { running: 1 };
      assert.deepEqual(names(told(alerts, [...times(6, slow), ...times(90, running)])), ['fired 60']);
      assert.deepEqual(names(told(alerts, [...times(6, slow), ...times(7, idle)])), ['fired 60', 'resolved 120']);
    });

    it('is that of the latency for a load-balanced endpoint', () => {
      const measured = buckets(times(6, { p99: { latency: 3 } }));
      assert.equal(evaluate(NO_STATE, { alerts, isQueue: false }, measured).events.length, 1);
      assert.equal(evaluate(NO_STATE, { alerts, isQueue: true }, measured).events.length, 0);
    });
  });

  describe('a stuck queue', () => {
    const alerts = { queueStuck: 60 };
    const waiting = { waiting: true };

    it('fires after its time without progress, and resolves with progress or without jobs', () => {
      for (const end of [{ waiting: true, progress: true }, {}]) {
        const events = told(alerts, [...times(9, waiting), end, ...times(3, waiting)]);
        assert.deepEqual(names(events), ['fired 60', 'resolved 100']);
        assert.equal(events[0]?.value, 60);
      }
    });

    it('does not fire while jobs start or end', () => {
      assert.deepEqual(told(alerts, times(30, [waiting, waiting, { waiting: true, progress: true }]).flat()), []);
    });
  });

  describe('a crash loop', () => {
    const alerts = { crashLoop: 3 };

    it('fires at the bound within ten minutes, and resolves ten minutes after the last crash', () => {
      const events = told(alerts, [{ crashes: 1 }, ...times(20, {}), { crashes: 2 }, ...times(70, {})]);
      assert.deepEqual(names(events), ['fired 220', 'resolved 820']);
    });

    it('lasts while a worker cannot run', () => {
      const events = told(alerts, [{ crashes: 3 }, ...times(100, { unhealthy: 1 })]);
      assert.deepEqual(names(events), ['fired 10']);
    });

    it('does not fire for crashes that are further apart', () => {
      assert.deepEqual(told(alerts, times(10, [{ crashes: 1 }, ...times(40, {})]).flat()), []);
    });
  });

  describe('the spend', () => {
    const alerts = { spendPerHour: 3.6 };
    /** Cost of ten seconds at a price per hour. */
    const at = (usdPerHour: number) => ({ spendUsd: usdPerHour / 360 });

    it('fires when its mean of five minutes is over the bound, and resolves well below it', () => {
      const events = told(alerts, [...times(30, at(1)), ...times(30, at(5)), ...times(40, at(0))]);
      assert.deepEqual(
        events.map(({ event }) => event),
        ['fired', 'resolved'],
      );
      assert.ok((events[0]?.value ?? 0) > 3.6);
    });

    it('fires once while it hovers at the bound', () => {
      const hovering = times(100, [...times(15, at(3.5)), ...times(15, at(3.8))]).flat();
      assert.equal(told(alerts, [...times(30, at(4)), ...hovering]).length, 1);
    });

    it('does not fire for a short peak, nor from a few measurements', () => {
      assert.deepEqual(told(alerts, [...times(40, at(1)), ...times(10, at(6)), ...times(40, at(1))]), []);
      assert.deepEqual(told(alerts, times(20, at(100))), []);
    });
  });

  const ALL: AlertsPart = {
    ...{ failuresInARow: 3, p99: { over: 2, for: 60 }, queueStuck: 60, crashLoop: 3, spendPerHour: 3.6 },
  };
  const TROUBLE: Partial<Bucket> = {
    ...{ failed: 1, p99: { endToEnd: 9 }, waiting: true, crashes: 1, running: 1, spendUsd: 1 },
  };

  it('neither fire nor resolve while nothing is measured', () => {
    const short = buckets(times(4, { ...TROUBLE, failed: 0, crashes: 0 }));
    const { state, events } = evaluate(NO_STATE, { alerts: ALL, isQueue: true }, short);
    const later = buckets(times(4, { ...TROUBLE, failed: 0, crashes: 0 }), 86_400_000);
    assert.deepEqual([events, evaluate(state, { alerts: ALL, isQueue: true }, later).events], [[], []]);

    const fired = evaluate(NO_STATE, { alerts: ALL, isQueue: true }, buckets(times(40, TROUBLE))).state;
    assert.equal(firing(fired).length, 5);
    const after = evaluate(fired, { alerts: ALL, isQueue: true }, buckets([TROUBLE], 86_400_000));
    assert.deepEqual([after.events, firing(after.state)], [[], firing(fired)]);
  });

  it('without a number of the platform are not evaluated', () => {
    const unknown = { succeeded: undefined, failed: undefined, p99: undefined, waiting: undefined };
    const nothing = { ...unknown, progress: undefined, crashes: undefined, spendUsd: undefined };
    assert.deepEqual(told(ALL, times(500, nothing)), []);
  });

  it('of another bound begin again, and a removed one is resolved', () => {
    const fired = evaluate(NO_STATE, { alerts: ALL, isQueue: true }, buckets(times(40, TROUBLE))).state;
    const { events, state } = evaluate(fired, { alerts: { failuresInARow: 500 }, isQueue: true }, []);
    assert.deepEqual(
      events.map(({ event }) => event),
      times(5, 'resolved'),
    );
    assert.deepEqual(firing(state), []);
  });

  const anyBucket: fc.Arbitrary<Partial<Bucket> | undefined> = fc.oneof(
    fc.constant(undefined),
    fc.record({
      ...{ succeeded: fc.nat(2), failed: fc.nat(3), waiting: fc.boolean(), progress: fc.boolean() },
      ...{ crashes: fc.nat(2), running: fc.nat(1), unhealthy: fc.nat(1), spendUsd: fc.constantFrom(0, 0.005, 0.02) },
      p99: fc.constantFrom({}, { endToEnd: 1 }, { endToEnd: 3 }),
    }),
  );

  it('alternate between fired and resolved, however the measurements are split', () => {
    fc.assert(
      fc.property(fc.array(anyBucket, { maxLength: 200 }), fc.nat(200), (measured, cut) => {
        const all = buckets(measured);
        const watched = { alerts: ALL, isQueue: true };
        const whole = evaluate(NO_STATE, watched, all);
        let state: AlertState = JSON.parse(JSON.stringify({ ...NO_STATE, through: -1 })) as AlertState;
        const events: AlertEvent[] = [];
        // The second part repeats buckets of the first one.
        for (const part of [all.slice(0, cut), all.slice(Math.max(0, cut - 5))]) {
          const next = evaluate(state, watched, part);
          state = JSON.parse(JSON.stringify(next.state)) as AlertState;
          events.push(...next.events);
        }
        const sorted = (list: readonly AlertEvent[]) => list.map((one) => JSON.stringify(one)).sort();
        assert.deepEqual(sorted(events), sorted(whole.events));
        for (const condition of ['failuresInARow', 'p99', 'queueStuck', 'crashLoop', 'spendPerHour'] as const) {
          const own = whole.events.filter((one) => one.condition === condition);
          assert.ok(own.every(({ event }, index) => event === (index % 2 === 0 ? 'fired' : 'resolved')));
          assert.equal(firing(whole.state).includes(condition), own.length % 2 === 1);
          assert.ok(own.every(({ since, at }) => since <= at));
        }
      }),
    );
  });
});

describe('Measurements for alerts', () => {
  it('are those of complete buckets', () => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const [first, ...others] = bucketsOf(
      {
        step: 10,
        points: [
          {
            ...{ at: iso(0), outcomes: { COMPLETED: 1, FAILED: 2, TIMED_OUT: 1 }, queueDepth: 0.5, spendUsd: 0.1 },
            endToEnd: { count: 1, sum: 1, p50: 1, p90: 1, p99: 1, max: 1 },
          },
          { at: iso(10_000) },
        ],
        ...{
          total: {},
          markers: [
            { at: iso(5_000), kind: 'crash' },
            { at: iso(5_000), kind: 'release' },
          ],
        },
      },
      15_000,
    );
    assert.deepEqual(others, []);
    assert.deepEqual(first, {
      ...{ start: 0, end: 10_000, succeeded: 1, failed: 3, p99: { endToEnd: 1 }, waiting: true, progress: true },
      ...{ crashes: 1, running: 0, unhealthy: 0, spendUsd: 0.1 },
    });
  });

  const look = (at: number, jobs: Partial<NonNullable<Look['jobs']>> = {}): Look => ({
    at,
    jobs: { completed: 0, failed: 0, inQueue: 0, inProgress: 0, ...jobs },
    ...{ running: 0, unhealthy: 0, usdPerHour: 3.6 },
  });

  it('of a platform that does not measure are the differences between two looks', () => {
    const bucket = bucketBetween(look(0, { inQueue: 1 }), look(60_000, { inQueue: 2, failed: 3 }));
    assert.deepEqual([bucket?.failed, bucket?.waiting, bucket?.progress, bucket?.p99], [3, true, true, undefined]);
    assert.ok(Math.abs((bucket?.spendUsd ?? 0) - 0.06) < 1e-9);
  });

  it('of a platform that does not measure are none after a long time, and after a reset of the counters', () => {
    assert.equal(bucketBetween(look(0), look(600_000)), undefined);
    assert.equal(bucketBetween(look(0, { completed: 5 }), look(60_000)), undefined);
    assert.equal(bucketBetween(undefined, look(0)), undefined);
  });
});
