import type { UsageStore } from '../store/usageStore.ts';
import type { Clocks } from '../time/clock.ts';

const INTERVAL_MS = 5_000;
/** Pause between two batches, in which the platform serves requests. */
const PAUSE_MS = 20;

/** Settles usage once its hours have passed. Returns a function that stops it. */
export function settleUsage(usage: Pick<UsageStore, 'settle'>, { clock, realClock }: Clocks): () => void {
  const settle = (): void => {
    const more = usage.settle(clock.now());
    cancel = more ? realClock.after(PAUSE_MS, settle) : clock.after(INTERVAL_MS, settle);
  };
  let cancel = clock.after(INTERVAL_MS, settle);
  return () => cancel();
}
