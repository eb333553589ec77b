import assert from 'node:assert/strict';
import { AdjustableClock } from '../../../src/platform/time/adjustableClock.ts';
import { manualClock } from '../support.ts';

describe('AdjustableClock', () => {
  const make = () => {
    const base = manualClock(1_000);
    const clock = new AdjustableClock(base);
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(`${name} at ${clock.now()}`);
    return { base, clock, calls, note };
  };

  it('follows its underlying clock', () => {
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
});
