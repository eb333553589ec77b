import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  decideScaling,
  queueHorizon,
  STANDBY_MS,
  type ScalingSettings,
  type WorkerObservation,
} from '../../../src/platform/domain/autoscaler.ts';

const now = 1_000_000;

describe('decideScaling', () => {
  const onDelay: ScalingSettings = {
    scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
    ...{ min: 0, max: 3, idleTimeoutMs: 10_000, standbyMs: 0 },
  };
  const onCount: ScalingSettings = { ...onDelay, scaling: { type: 'REQUEST_COUNT', requestCount: 2 } };
  const worker = (id: string, state: WorkerObservation['state'], ago = 0): WorkerObservation => ({
    ...{ id, state, since: now - ago },
  });
  const queue = (waitedMs: number[], running = 0) => ({ waitingSince: waitedMs.map((ago) => now - ago), running });

  it('keeps the minimum number of workers without any work', () => {
    assert.equal(decideScaling({ ...onDelay, min: 2 }, queue([]), [], now).start, 2);
    assert.deepEqual(decideScaling(onDelay, queue([]), [], now), {
      start: 0,
      resume: [],
      freeze: [],
      stop: [],
      retire: [],
      reconsiderAt: undefined,
    });
  });

  it('stops of several idle workers above the maximum the one that has been idle longest, in any order', () => {
    const [old, recent] = [worker('old', 'idle', 5), worker('recent', 'idle', 1)];
    for (const workers of [
      [old, recent],
      [recent, old],
    ])
      assert.deepEqual(decideScaling({ ...onDelay, max: 1 }, queue([]), workers, now).stop, ['old']);
  });

  it('retires no busy worker if stopping an idle one is enough', () => {
    const workers = [worker('a', 'idle'), worker('b', 'busy'), worker('c', 'busy')];
    const { stop, retire } = decideScaling({ ...onDelay, max: 2 }, queue([], 2), workers, now);
    assert.deepEqual([stop, retire], [['a'], []]);
  });

  it('keeps the minimum when it stops workers above the maximum and idle ones at once', () => {
    const workers = ['a', 'b', 'c'].map((id) => worker(id, 'idle', 20_000));
    const { stop } = decideScaling({ ...onDelay, min: 1, max: 2 }, queue([]), workers, now);
    assert.equal(stop.length, 2);
  });

  it('does not reconsider for jobs that are already overdue, or that could add no worker', () => {
    const reconsidered = (waitedMs: number, max: number) =>
      decideScaling({ ...onDelay, max }, queue([waitedMs]), [worker('a', 'starting')], now).reconsiderAt;
    assert.equal(reconsidered(3_000, 3), now + 1_000);
    for (const waitedMs of [4_000, 5_000]) assert.equal(reconsidered(waitedMs, 3), undefined);
    assert.equal(reconsidered(3_000, 1), undefined);
  });

  it('considers as many waiting jobs as can add workers', () => {
    const most = Number.MAX_SAFE_INTEGER;
    assert.deepEqual(
      [onDelay, onCount, { ...onDelay, max: 0 }, { ...onCount, max: 0 }].map(queueHorizon),
      [4, 6, 1, 1],
    );
    assert.deepEqual(
      [
        { ...onDelay, max: most },
        { ...onCount, max: most },
      ].map(queueHorizon),
      [most, most],
    );
  });

  it('keeps workers on standby for ten minutes, with priority for an hour, and by default not at all', () => {
    assert.deepEqual(STANDBY_MS, { OFF: 0, FLASHBOOT: 600_000, PRIORITY_FLASHBOOT: 3_600_000 });
  });

  it('starts the first worker as soon as a job waits', () => {
    assert.equal(decideScaling(onDelay, queue([0, 0, 0]), [], now).start, 1);
  });

  it('handles the maximum number of waiting jobs', () => {
    const waiting = queue(Array.from({ length: 300_000 }, (_, at) => 3_000 - (at % 1_000)));
    const decision = decideScaling({ ...onDelay, max: 1_000_000 }, waiting, [worker('a', 'busy')], now);
    assert.equal(decision.reconsiderAt, now + 1_000);
  });

  it('keeps a worker that a debugger holds, however long it is idle, and if the maximum is lower', () => {
    for (const state of ['idle', 'busy', 'unhealthy', 'throttled', 'starting'] as const) {
      const held = { ...worker('a', state, 3_600_000), held: true };
      for (const settings of [onDelay, onCount, { ...onDelay, max: 0 }, { ...onDelay, standbyMs: 60_000 }]) {
        const { stop, freeze, retire, reconsiderAt } = decideScaling(settings, queue([]), [held], now);
        assert.deepEqual([stop, freeze, retire, reconsiderAt], [[], [], [], undefined], state);
      }
    }
  });

  it('ends other workers than the one that a debugger holds', () => {
    const observed = [{ ...worker('held', 'idle', 60_000), held: true }, worker('free', 'idle', 20_000)];
    assert.deepEqual(decideScaling(onDelay, queue([]), observed, now).stop, ['free']);
  });

  it('starts no worker if the maximum is 0', () => {
    assert.equal(decideScaling({ ...onDelay, max: 0 }, queue([60_000]), [], now).start, 0);
  });

  it('adds a worker for each overdue job, and returns when the next job becomes overdue', () => {
    const busy = [worker('a', 'busy')];
    assert.deepEqual(decideScaling(onDelay, queue([1_000]), busy, now), {
      ...{ start: 0, resume: [], freeze: [], stop: [], retire: [], reconsiderAt: now + 3_000 },
    });
    assert.equal(decideScaling(onDelay, queue([4_000]), busy, now).start, 1);
    assert.equal(decideScaling(onDelay, queue([9_000, 8_000, 7_000, 6_000]), busy, now).start, 2, 'up to the maximum');
  });

  it('waits for workers that are starting', () => {
    const coming = [worker('a', 'busy'), worker('b', 'starting')];
    assert.equal(decideScaling(onDelay, queue([9_000]), coming, now).start, 0);
    assert.equal(decideScaling(onDelay, queue([9_000, 9_000]), coming, now).start, 1);
  });

  it('starts no worker while another one is unhealthy', () => {
    assert.equal(decideScaling(onDelay, queue([9_000, 9_000]), [worker('a', 'unhealthy')], now).start, 0);
  });

  it('counts a throttled worker as starting, and stops it when no job waits', () => {
    const throttled = [worker('t', 'throttled')];
    assert.equal(decideScaling(onDelay, queue([60_000]), throttled, now).start, 0);
    assert.deepEqual(decideScaling(onDelay, queue([60_000]), throttled, now).stop, []);
    assert.deepEqual(decideScaling(onDelay, queue([]), throttled, now).stop, ['t']);
    assert.deepEqual(decideScaling({ ...onDelay, min: 1 }, queue([]), throttled, now).stop, []);
  });

  describe('with FlashBoot', () => {
    const flash: ScalingSettings = { ...onDelay, standbyMs: 60_000 };
    const decide = (waitedMs: number[], ...workers: WorkerObservation[]) =>
      decideScaling(flash, queue(waitedMs), workers, now);

    it('freezes idle workers instead of stopping them, and stops them when their standby ends', () => {
      const { freeze, stop, reconsiderAt } = decide([], worker('idle', 'idle', 10_000));
      assert.deepEqual([freeze, stop, reconsiderAt], [['idle'], [], now + 60_000]);
      assert.deepEqual(
        decideScaling({ ...flash, standbyMs: 1 }, queue([]), [worker('idle', 'idle', 10_000)], now).freeze,
        ['idle'],
      );
      assert.equal(decide([], worker('by', 'standby', 1_000)).reconsiderAt, now + 59_000);
      assert.deepEqual(decide([], worker('by', 'standby', 60_000)).stop, ['by']);
    });

    it('resumes the newest worker before it starts another, and does not count workers on standby', () => {
      const { start, resume } = decide([0], worker('old', 'standby', 2_000), worker('new', 'standby', 1_000));
      assert.deepEqual([start, resume], [0, ['new']]);
      assert.deepEqual(decideScaling({ ...flash, min: 2 }, queue([]), [worker('by', 'standby')], now), {
        ...{ start: 1, resume: ['by'], freeze: [], stop: [], retire: [], reconsiderAt: undefined },
      });
    });

    it('stops failed and throttled workers, and keeps at most the maximum on standby', () => {
      assert.deepEqual(decide([], worker('bad', 'unhealthy', 10_000)).stop, ['bad']);
      const many = ['a', 'b', 'c', 'd'].map((id, index) => worker(id, 'standby', index));
      assert.deepEqual(decide([], ...many).stop, ['d']);
      assert.deepEqual(decideScaling(onDelay, queue([]), [worker('by', 'standby')], now).stop, ['by']);
    });
  });

  it('stops idle workers above the minimum after the idle timeout, longest idle first', () => {
    const workers = [worker('a', 'idle', 11_000), worker('b', 'idle', 12_000), worker('c', 'idle', 2_000)];
    const decision = decideScaling({ ...onDelay, min: 2 }, queue([]), workers, now);
    assert.deepEqual(decision.stop, ['b']);
    const later = decideScaling(onDelay, queue([]), workers, now);
    assert.deepEqual(later.stop, ['b', 'a']);
    assert.equal(later.reconsiderAt, now + 8_000);
  });

  it('never stops a busy worker', () => {
    assert.deepEqual(decideScaling(onDelay, queue([], 1), [worker('a', 'busy', 99_000)], now).stop, []);
  });

  it('stops an unhealthy worker only when no job waits', () => {
    const failing = [worker('a', 'unhealthy', 99_000)];
    assert.deepEqual(decideScaling(onDelay, queue([1_000]), failing, now).stop, []);
    assert.deepEqual(decideScaling(onDelay, queue([]), failing, now).stop, ['a']);
  });

  it('stops workers above the maximum at once, except busy ones, which finish their work', () => {
    const all = [worker('i', 'idle'), worker('b', 'busy'), worker('s', 'starting'), worker('u', 'unhealthy')];
    const stopped = (max: number) => decideScaling({ ...onDelay, max }, queue([9_000], 1), all, now).stop;
    assert.deepEqual(stopped(0), ['u', 's', 'i']);
    assert.deepEqual(stopped(2), ['u', 's'], 'keeps the most useful workers');
    const { stop, retire } = decideScaling({ ...onDelay, max: 0 }, queue([9_000], 1), all, now);
    assert.deepEqual([stop, retire], [['u', 's', 'i'], ['b']]);
    const leaving = [{ ...worker('l', 'busy'), retired: true }, worker('old', 'busy', 9), worker('new', 'busy', 1)];
    assert.deepEqual(decideScaling({ ...onDelay, max: 1 }, queue([], 3), leaving, now).retire, ['new']);
    assert.deepEqual(decideScaling({ ...onDelay, max: 2 }, queue([], 3), leaving, now).retire, []);
    const waiting = [worker('t', 'throttled'), worker('u', 'unhealthy')];
    assert.deepEqual(decideScaling({ ...onCount, max: 0 }, queue([0]), waiting, now).stop, ['u', 't']);
  });

  it('keeps as many idle workers as the number of requests still needs', () => {
    const workers = [worker('a', 'idle', 20_000), worker('b', 'idle', 30_000), worker('c', 'busy')];
    assert.deepEqual(decideScaling(onCount, queue([], 3), workers, now).stop, ['b']);
    assert.deepEqual(decideScaling(onCount, queue([], 2), workers, now).stop, ['b', 'a']);
  });

  it('starts one worker per number of requests, queued or running', () => {
    assert.equal(decideScaling(onCount, queue([0, 0, 0]), [], now).start, 2);
    assert.equal(decideScaling(onCount, queue([0], 2), [worker('a', 'busy')], now).start, 1);
    assert.equal(decideScaling(onCount, queue([0, 0, 0, 0, 0, 0, 0, 0]), [], now).start, 3);
  });
});

describe('queueHorizon', () => {
  const worker: fc.Arbitrary<WorkerObservation> = fc.record({
    id: fc.uuid(),
    state: fc.constantFrom('throttled', 'starting', 'idle', 'busy', 'unhealthy', 'standby'),
    since: fc.integer({ min: 0, max: 60_000 }),
  });
  const scaling = fc.oneof(
    fc.record({ type: fc.constant('QUEUE_DELAY' as const), queueDelay: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ type: fc.constant('REQUEST_COUNT' as const), requestCount: fc.integer({ min: 1, max: 5 }) }),
  );

  it('omits only jobs that do not affect the decision', () => {
    const waiting = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 60 });
    const limits = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 8 }));
    fc.assert(
      fc.property(scaling, limits, waiting, fc.array(worker, { maxLength: 9 }), (scaler, [min, max], jobs, workers) => {
        const settings = { scaling: scaler, min: Math.min(min, max), max, idleTimeoutMs: 10_000, standbyMs: 60_000 };
        const all = jobs.toSorted((left, right) => left - right);
        const decide = (waitingSince: readonly number[]) => {
          const { reconsiderAt: _, ...decision } = decideScaling(
            settings,
            { waitingSince, running: 0 },
            workers,
            60_000,
          );
          return decision;
        };
        assert.deepEqual(decide(all.slice(0, queueHorizon(settings))), decide(all));
      }),
    );
  });
});
