import assert from 'node:assert/strict';
import { Waiters } from '../../../src/platform/queue/leases.ts';

describe('Waiters', () => {
  const timers = new Set<() => void>();
  const clock = {
    now: () => 0,
    after: (_: number, callback: () => void) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };

  for (const [what, end, expected] of [
    ['a value', (waiters: Waiters<string>) => waiters.give('value'), 'value'],
    ['the end of all waits', (waiters: Waiters<string>) => waiters.release(), undefined],
    ['an abort', (_: Waiters<string>, abort: () => void) => abort(), undefined],
    ['its time limit', () => timers.forEach((callback) => callback()), undefined],
  ] as const)
    it(`keep no call and no timer after ${what}`, async () => {
      timers.clear();
      const waiters = new Waiters<string>(clock);
      const caller = new AbortController();
      const waiting = waiters.wait(1_000, caller.signal);
      assert.deepEqual([waiters.size, timers.size], [1, 1]);
      end(waiters, () => caller.abort());
      assert.equal(await waiting, expected);
      assert.deepEqual([waiters.size, timers.size], [0, 0]);
    });
});
