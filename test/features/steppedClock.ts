import type { Clock } from '../../src/client/clock.ts';

/** A clock that moves only with `advance`, which ends the sleeps that are due. */
export function steppedClock() {
  let now = 1_000_000;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(new Error('aborted'));
          return;
        }
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(new Error('aborted'));
        });
      }),
  };
  return {
    clock,
    get sleeping() {
      return sleepers.size;
    },
    advance(ms: number) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
