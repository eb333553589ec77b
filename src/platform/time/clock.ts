/** Time as a parameter. Code that waits takes a clock, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds (0 to 2^31-1). Returns a function that cancels the callback. */
  after(ms: number, callback: () => void): () => void;
}

const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Returns a clock with the time of `first`. Its waits end as soon as they end on either clock. */
export function eitherClock(first: Clock, second: Clock): Clock {
  return {
    now: () => first.now(),
    after: (ms, callback) => {
      const cancel = (): void => waits.forEach((cancelOne) => cancelOne());
      const waits = [first, second].map((clock) =>
        clock.after(ms, () => {
          cancel();
          callback();
        }),
      );
      return cancel;
    },
  };
}

/** Returns a clock with the time of `time`. Its waits run on `waits`. */
export function waitingBy(waits: Clock, time: Clock): Clock {
  return { now: () => time.now(), after: (ms, callback) => waits.after(ms, callback) };
}
