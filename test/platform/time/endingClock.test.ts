import assert from 'node:assert/strict';
import { endingClock } from '../../../src/platform/time/endingClock.ts';
import { manualClock } from '../support.ts';

describe('endingClock', () => {
  it('calls back like its underlying clock until the end, and never after it', () => {
    const base = manualClock(0);
    const clock = endingClock(base);
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
});
