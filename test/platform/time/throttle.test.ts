import assert from 'node:assert/strict';
import { throttle } from '../../../src/platform/time/throttle.ts';
import { ManualClock } from '../logs/manualClock.ts';

describe('A throttled action', () => {
  let clock: ManualClock;
  let done: number[];
  let act: () => void;

  beforeEach(() => {
    clock = new ManualClock(0);
    done = [];
    act = throttle(clock, 20, () => done.push(clock.now()));
  });

  function pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 5) clock.advance(5);
  }

  it('is done at once after a pause, and at its end once for all that asked in it', () => {
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

  it('is not done again when nobody has asked', () => {
    act();
    pass(1_000);
    assert.deepEqual(done, [0]);
  });

  it('is done again when it asks for that itself, after the pause', () => {
    let left = 2;
    const again = throttle(clock, 20, () => {
      done.push(clock.now());
      if (left-- > 0) again();
    });
    again();
    assert.deepEqual(done, [0]);
    pass(100);
    assert.deepEqual(done, [0, 20, 40]);
  });
});
