import assert from 'node:assert/strict';
import { PausableClock } from '../../../src/platform/time/pausableClock.ts';
import { manualClock } from '../support.ts';

describe('PausableClock', () => {
  const begin = () => {
    const base = manualClock(1_000);
    const calls: string[] = [];
    return { base, clock: new PausableClock(base), calls, call: (name: string) => () => calls.push(name) };
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
