/** Time as a parameter: whoever waits takes a clock, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after that many milliseconds (0 to 2^31-1). Returns what calls it off. */
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

/** Tells the time of the first clock, and waits until either says that the time has passed. */
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

/** Tells the time of one clock, and waits by another. */
export function waitingBy(waits: Clock, time: Clock): Clock {
  return { now: () => time.now(), after: (ms, callback) => waits.after(ms, callback) };
}
