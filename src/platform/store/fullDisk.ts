import type { Clock } from '../time/clock.ts';
import { isStorageFull } from '../storageFull.ts';

/** How long to wait before something that could not be stored is tried again. */
export const STORAGE_RETRY_MS = 1_000;

/**
 * Does it now or, while the disk is full, as soon as there is room. For what nobody can be answered an error about: the end of a
 * process, a deadline. The action must change nothing before it has stored what it does.
 *
 * @returns what calls off a further try
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
 * The same for what somebody waits for: resolves once it is stored.
 *
 * @param wanted asked before each further try
 * @throws the store's error when it is wanted no more, or any other error
 */
export async function storedOnceFree(
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

/** A clock whose callbacks are called again, after waits by the other, while they fail because the disk is full. */
export function retryingClock(clock: Clock, realWaits = clock): Clock {
  return {
    now: () => clock.now(),
    after: (ms, callback) => {
      let cancel = clock.after(ms, () => (cancel = retryWhileFull(realWaits, callback)));
      return () => cancel();
    },
  };
}

/**
 * An action that is called whenever something has changed, and may find the disk full: until there may be room again it is left alone,
 * and then done once for all that has changed meanwhile.
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
