/** Time as a parameter: what waits takes a clock, so that no test sleeps. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after that many milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `action` after that many milliseconds, unless the returned function is called first. Cheaper than a sleep that is aborted. */
  after?(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
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
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** Reason of every sleep that is not needed any more: an error made for each call, with its stack, is felt in the benchmark. */
const ENDED = new Error('ended');

/** Calls `action` after that many milliseconds by any clock, unless the returned function is called first. */
export function callAfter(clock: Clock, ms: number, action: () => void): () => void {
  if (clock.after) return clock.after(ms, action);
  const ended = new AbortController();
  clock.sleep(ms, ended.signal).then(action, () => undefined);
  return () => ended.abort(ENDED);
}
