import type { Clock } from './clock.ts';

/**
 * Returns a throttled form of an action: a call runs it at once unless it ran within the last `ms` milliseconds. Calls during that time
 * are merged into one run at its end.
 */
export function throttle(clock: Clock, ms: number, action: () => void): () => void {
  let resting = false;
  let asked = false;
  const act = (): void => {
    if (resting) {
      asked = true;
      return;
    }
    [resting, asked] = [true, false];
    clock.after(ms, () => {
      resting = false;
      if (asked) act();
    });
    action();
  };
  return act;
}
