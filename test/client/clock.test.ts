import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { systemClock } from '../../src/client/clock.ts';

describe("The client's system clock", () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('does not end a wait at once that exceeds the longest timer', () => {
    let calls = 0;
    for (const ms of [2 ** 31, Number.MAX_SAFE_INTEGER, Infinity]) {
      systemClock.after?.(ms, () => calls++);
      void systemClock.sleep(ms).then(() => calls++);
    }
    mock.timers.tick(2 ** 31 - 2);
    assert.equal(calls, 0);
  });
});
