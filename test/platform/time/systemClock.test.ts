import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { systemClock } from '../../../src/platform/time/clock.ts';

/** Longest timer of Node.js, in ms. */
const LONGEST = 2 ** 31 - 1;

describe('The system clock', () => {
  let calls: number;
  const call = (): void => {
    calls++;
  };

  beforeEach(() => {
    calls = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
  });

  afterEach(() => mock.timers.reset());

  it('calls back after a wait that is longer than a timer of Node.js, and not before', () => {
    for (const ms of [LONGEST, LONGEST + 1, 3 * LONGEST + 5]) {
      calls = 0;
      systemClock.after(ms, call);
      for (let left = ms - 1; left > 0; left -= LONGEST) mock.timers.tick(Math.min(left, LONGEST));
      assert.equal(calls, 0, `before ${ms} ms`);
      mock.timers.tick(1);
      assert.equal(calls, 1, `after ${ms} ms`);
    }
  });

  it('never calls back from a wait of 285,000 years, and not at once', () => {
    systemClock.after(Number.MAX_SAFE_INTEGER, call);
    for (let part = 0; part < 1_000; part++) mock.timers.tick(LONGEST);
    assert.equal(calls, 0);
  });

  it('cancels a long wait in each of its parts', () => {
    for (const parts of [0, 1, 2]) {
      const cancel = systemClock.after(2 * LONGEST + 1, call);
      for (let part = 0; part < parts; part++) mock.timers.tick(LONGEST);
      cancel();
      for (let part = 0; part < 4; part++) mock.timers.tick(LONGEST);
    }
    assert.equal(calls, 0);
  });

  it('treats a time that has passed as now', () => {
    systemClock.after(-5, call);
    mock.timers.tick(0);
    assert.equal(calls, 1);
  });
});
