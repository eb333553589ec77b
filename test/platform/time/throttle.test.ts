import assert from 'node:assert/strict';
import { throttle } from '../../../src/platform/time/clock.ts';
import { ManualClock } from '../logs/manualClock.ts';

describe('throttle', () => {
  let clock: ManualClock;
  let done: number[];
  let act: () => void;

  beforeEach(() => {
    clock = new ManualClock(0);
    done = [];
    act = throttle({ clock, realClock: clock }, 20, () => done.push(clock.now()));
  });

  function pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 5) clock.advance(5);
  }

  it('runs at once after a pause, and merges calls during the pause into one run at its end', () => {
    act();
    pass(5);
    act();
    pass(5);
    act();
    assert.deepEqual(done, [0]);
    pass(100);
    assert.deepEqual(done, [0, 20]);
    act();
    assert.deepEqual(done, [0, 20, 110]);
  });

  it('does not run again without another call', () => {
    act();
    pass(1_000);
    assert.deepEqual(done, [0]);
  });

  it('runs again after the pause if it calls itself', () => {
    let left = 2;
    const again = throttle({ clock, realClock: clock }, 20, () => {
      done.push(clock.now());
      if (left-- > 0) again();
    });
    again();
    assert.deepEqual(done, [0]);
    pass(100);
    assert.deepEqual(done, [0, 20, 40]);
  });

  it('ends the pause once it has passed on either clock', () => {
    const realClock = new ManualClock(0);
    act = throttle({ clock, realClock }, 20, () => done.push(clock.now()));
    for (const first of [realClock, clock]) {
      act();
      act();
      first.advance(20);
    }
    assert.equal(done.length, 3);
  });
});
