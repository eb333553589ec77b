import type { Clock } from './clock.ts';

/**
 * Returns a throttled form of an action: a call runs it at once unless it ran within the last `ms` milliseconds. Calls during that time
 * are merged into one run at its end.
 */
export function throttle(clock: Clock, ms: number, action: () => void): () => void {
  let throttled = false;
  let pending = false;
  const run = (): void => {
    if (throttled) {
      pending = true;
      return;
    }
    [throttled, pending] = [true, false];
    clock.after(ms, () => {
      throttled = false;
      if (pending) run();
    });
    action();
  };
  return run;
}
