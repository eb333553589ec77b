/** Time as a parameter. Code that waits takes a clock, so that tests can control time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds, however many they are. Returns a function that cancels the callback. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * The two times of the platform, which have the same `now`.
 *
 * Scaling, expiry, and billing follow `clock`, which can be frozen and advanced. The network, processes, and the disk do not stop with it, so
 * waits for them use `realClock`: how long a request is held, and when a connection, a delivery, or a retry times out.
 */
export interface Clocks {
  readonly clock: Clock;
  /** Has the same time as `clock`, but waits in real time. */
  readonly realClock: Clock;
}

/** Longest timer of Node.js, in ms: 24.8 days. Node.js calls back from a longer one after 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    let timer: NodeJS.Timeout;
    // A longer wait consists of several timers.
    const wait = (left: number): void => {
      const part = Math.min(Math.max(left, 0), MAX_TIMER_MS);
      timer = setTimeout(() => (left > part ? wait(left - part) : callback()), part);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a time in ms, or once the signal is aborted. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await promise;
  signal.removeEventListener('abort', onAbort);
  cancel();
}

/** Resolves or rejects as the work does. Rejects with the signal's reason once it is aborted. The work continues. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

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
