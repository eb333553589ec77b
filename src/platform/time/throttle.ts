import type { Clocks } from './clock.ts';

/**
 * Returns a throttled form of an action: a call runs it at once unless it ran within the last `ms` milliseconds. Calls during that time
 * are merged into one run at its end. The time ends once it has passed on either clock, so that no call is skipped while one of them is
 * advanced.
 */
export function throttle({ clock, realClock }: Clocks, ms: number, action: () => void): () => void {
  let throttled = false;
  let pending = false;
  const run = (): void => {
    if (throttled) {
      pending = true;
      return;
    }
    [throttled, pending] = [true, false];
    const end = (): void => {
      for (const cancel of cancels) cancel();
      throttled = false;
      if (pending) run();
    };
    const cancels = [clock, realClock].map((either) => either.after(ms, end));
    action();
  };
  return run;
}
