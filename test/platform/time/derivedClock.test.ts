import assert from 'node:assert/strict';
import { DerivedClock } from '../../../src/platform/time/derivedClock.ts';
import { manualClock } from '../support.ts';

describe('DerivedClock', () => {
  const make = () => {
    const base = manualClock(1_000);
    const clock = new DerivedClock(base);
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(`${name} at ${clock.now()}`);
    return { base, clock, calls, note };
  };

  it('follows its base', () => {
    const { base, clock, calls, note } = make();
    clock.after(10, note('ten'));
    const cancel = clock.after(20, note('never'));
    base.advance(15);
    cancel();
    base.advance(15);
    assert.deepEqual(calls, ['ten at 1010']);
  });

  it('pauses all waits while it is frozen, and resumes them with their remaining time', () => {
    const { base, clock, calls, note } = make();
    clock.after(10, note('ten'));
    base.advance(4);
    clock.freeze();
    base.advance(100);
    assert.deepEqual([clock.now(), calls], [1_004, []]);
    clock.unfreeze();
    base.advance(5);
    assert.deepEqual(calls, []);
    base.advance(1);
    assert.deepEqual(calls, ['ten at 1010']);
    assert.equal(clock.aheadMs, -100);
  });

  it('calls due callbacks in order and at their own times, including those added during the advance', async () => {
    const { clock, calls, note } = make();
    clock.freeze();
    clock.after(50, note('second'));
    clock.after(20, () => {
      note('first')();
      clock.after(10, note('between'));
    });
    clock.after(101, note('later'));
    await clock.advance(100);
    assert.deepEqual(calls, ['first at 1020', 'between at 1030', 'second at 1050']);
    assert.deepEqual([clock.now(), clock.frozen], [1_100, true]);
  });

  it('advances while it runs, and continues to run', async () => {
    const { base, clock, calls, note } = make();
    clock.after(60, note('minute'));
    await clock.advance(59);
    assert.deepEqual(calls, []);
    base.advance(1);
    assert.deepEqual(calls, ['minute at 1060']);
  });

  it('limits the number of calls of a callback that repeats every millisecond for a year', async () => {
    const { clock } = make();
    let calls = 0;
    const beat = (): void => {
      calls++;
      clock.after(1, beat);
    };
    beat();
    await clock.advance(366 * 86_400_000);
    assert.ok(calls > 1_000 && calls < 30_000, String(calls));
    assert.equal(clock.now(), 1_000 + 366 * 86_400_000);
  });

  it('can be advanced again after a callback has failed', async () => {
    const { clock, calls, note } = make();
    clock.after(1, () => {
      throw new Error('expected');
    });
    clock.after(2, note('second'));
    await assert.rejects(clock.advance(10), /expected/);
    await clock.advance(10);
    assert.deepEqual(calls, ['second at 1002']);
  });

  it('runs its real timers while it is frozen, with its own time', async () => {
    const { base, clock, calls, note } = make();
    clock.freeze();
    clock.real.after(10, note('real'));
    await clock.advance(1_000);
    assert.deepEqual(calls, []);
    base.advance(10);
    assert.deepEqual([calls, clock.real.now()], [['real at 2000'], 2_000]);
  });

  it('runs no timer while it is frozen or paused', async () => {
    const { base, clock, calls, note } = make();
    clock.after(10, note('ten'));
    clock.pause();
    clock.freeze();
    clock.resume();
    base.advance(100);
    clock.pause();
    await clock.advance(100);
    clock.unfreeze();
    base.advance(100);
    assert.deepEqual(calls, []);
    clock.resume();
    base.advance(10);
    assert.deepEqual(calls, ['ten at 1210']);
  });

  it('calls back until the end, and never after it', () => {
    const base = manualClock(0);
    const clock = new DerivedClock(base);
    const called: string[] = [];
    clock.after(10, () => called.push('due before the end'));
    clock.after(20, () => called.push('canceled'))();
    clock.after(30, () => called.push('due after the end'));
    base.advance(20);
    assert.equal(clock.now(), 20);
    clock.end();
    clock.after(0, () => called.push('added after the end'));
    base.advance(100);
    assert.deepEqual(called, ['due before the end']);
  });

  describe('with pauses', () => {
    const begin = () => {
      const base = manualClock(1_000);
      const calls: string[] = [];
      return { base, clock: new DerivedClock(base), calls, call: (name: string) => () => calls.push(name) };
    };

    it('calls back on time unless it is paused', () => {
      const { base, clock, calls, call } = begin();
      clock.after(100, call('due'));
      clock.after(50, call('canceled'))();
      base.advance(99);
      assert.deepEqual(calls, []);
      base.advance(1);
      assert.deepEqual([calls, clock.now()], [['due'], 1_100]);
    });

    it('continues after a pause with the time that was left', () => {
      const { base, clock, calls, call } = begin();
      clock.after(100, call('due'));
      base.advance(70);
      clock.pause();
      base.advance(1_000_000);
      clock.pause();
      clock.resume();
      base.advance(29);
      assert.deepEqual(calls, []);
      base.advance(1);
      assert.deepEqual(calls, ['due']);
    });

    it('does not count the time in a pause for a timer that was set in it', () => {
      const { base, clock, calls, call } = begin();
      clock.pause();
      clock.after(100, call('due'));
      const cancel = clock.after(100, call('canceled'));
      base.advance(500);
      cancel();
      clock.resume();
      clock.resume();
      base.advance(100);
      assert.deepEqual(calls, ['due']);
    });

    it('counts only the time between several pauses', () => {
      const { base, clock, calls, call } = begin();
      clock.after(100, call('due'));
      for (let round = 0; round < 9; round++) {
        base.advance(10);
        clock.pause();
        base.advance(1_000);
        clock.resume();
      }
      assert.deepEqual(calls, []);
      base.advance(10);
      assert.deepEqual(calls, ['due']);
    });
  });
});
