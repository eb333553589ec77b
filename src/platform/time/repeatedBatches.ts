import type { Clocks } from './clock.ts';

const INTERVAL_MS = 5_000;
/** Pause between two batches, in which the platform serves requests. */
const PAUSE_MS = 20;

/**
 * Repeats work that consists of short batches. Returns a function that stops it.
 *
 * @param batch returns true if more batches may be left
 */
export function repeatBatches({ clock, realClock }: Clocks, batch: () => boolean): () => void {
  const next = (): void => {
    cancel = batch() ? realClock.after(PAUSE_MS, next) : clock.after(INTERVAL_MS, next);
  };
  let cancel = clock.after(INTERVAL_MS, next);
  return () => cancel();
}
