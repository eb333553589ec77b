import type { Clock } from './clock.ts';

/** A clock that can be ended. */
export interface EndingClock extends Clock {
  /** Cancels all pending callbacks and ignores later calls to `after`. */
  end(): void;
}

/** Wraps a clock for a component that ends before the clock does, such as a platform whose store is closed. */
export function endingClock(clock: Clock): EndingClock {
  const pending = new Set<() => void>();
  let ended = false;
  return {
    now: () => clock.now(),
    after: (ms, callback) => {
      if (ended) return () => undefined;
      const cancel = clock.after(ms, () => {
        pending.delete(cancel);
        callback();
      });
      pending.add(cancel);
      return () => {
        pending.delete(cancel);
        cancel();
      };
    },
    end: () => {
      ended = true;
      for (const cancel of pending) cancel();
      pending.clear();
    },
  };
}
