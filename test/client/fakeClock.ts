import type { Clock } from '../../src/client/clock.ts';

/**
 * Clock that advances immediately for sleeps up to a given length. Longer sleeps, such as time limits of calls, end only with their
 * signal.
 */
export function jumpingClock(longest: number, start = 0) {
  const slept: number[] = [];
  let now = start;
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      if (ms > longest)
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
  return { clock, slept };
}
