/** Source of time for all code that waits, so that tests need not sleep. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after that many milliseconds. Rejects with the signal's reason if the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `action` after that many milliseconds, unless the returned function is called first. Faster than an aborted sleep. */
  after?(ms: number, action: () => void): () => void;
}

/** Longest timer, in ms: 24.8 days. A longer one would call back at once. No call of a client takes longer. */
const MAX_TIMER_MS = 2_147_483_647;

const timerFor = (ms: number): number => Math.min(ms, MAX_TIMER_MS);

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, timerFor(ms));
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, timerFor(ms));
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** Abort reason of canceled timers. It is shared, because creating an error with a stack for each call is slow. */
const ENDED = new Error('ended');

/** Calls `action` after that many milliseconds with any clock, unless the returned function is called first. */
export function callAfter(clock: Clock, ms: number, action: () => void): () => void {
  if (clock.after) return clock.after(ms, action);
  const ended = new AbortController();
  clock.sleep(ms, ended.signal).then(action, () => undefined);
  return () => ended.abort(ENDED);
}
