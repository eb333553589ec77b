import type { Clock } from '../time/clock.ts';
import { isStorageFull } from '../storageFull.ts';

/** Delay before the retry of a write that failed on a full disk, in ms. */
export const STORAGE_RETRY_MS = 1_000;

/**
 * Runs an action, and retries it while the disk is full. Use it if no caller can handle the error of a write, such as at the end of a
 * process or at a deadline. The action must not change any state before its write has succeeded.
 *
 * @returns a function that cancels further retries
 */
export function retryWhileFull(clock: Clock, action: () => void): () => void {
  try {
    action();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    let cancel = clock.after(STORAGE_RETRY_MS, () => (cancel = retryWhileFull(clock, action)));
    return () => cancel();
  }
  return () => undefined;
}

/**
 * Retries a write while the disk is full. Resolves once it is stored.
 *
 * @param wanted called before each retry; false stops the retries
 * @throws the store's error if the write is no longer wanted; any other error at once
 */
export async function retryUntilStored(
  clock: Clock,
  action: () => Promise<void> | void,
  wanted: () => boolean,
): Promise<void> {
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      if (!isStorageFull(error) || !wanted()) throw error;
      await new Promise<void>((resolve) => void clock.after(STORAGE_RETRY_MS, resolve));
      if (!wanted()) throw error;
    }
  }
}

/** Returns a clock that retries callbacks while they fail because the disk is full. `realClock` measures the pauses. */
export function retryingClock(clock: Clock, realClock = clock): Clock {
  return {
    now: () => clock.now(),
    after: (ms, callback) => {
      let cancel = clock.after(ms, () => (cancel = retryWhileFull(realClock, callback)));
      return () => cancel();
    },
  };
}

/**
 * Returns a function that runs an action, and pauses after a failure on a full disk. Calls during the pause are combined into one run
 * after it.
 */
export function pausedWhileFull(clock: Clock, action: () => void): () => void {
  let paused = false;
  const act = (): void => {
    if (paused) return;
    try {
      action();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      paused = true;
      clock.after(STORAGE_RETRY_MS, () => {
        paused = false;
        act();
      });
    }
  };
  return act;
}
