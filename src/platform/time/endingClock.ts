import type { Clock } from './clock.ts';

/** A clock that can be ended. */
export interface EndingClock extends Clock {
  /** Drops all callbacks that are due later, and those that are asked for from now on. */
  end(): void;
}

/** A form of a clock for something that ends before the clock does, such as a platform whose store is closed. */
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
