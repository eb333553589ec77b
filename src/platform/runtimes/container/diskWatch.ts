import type { Clock } from '../../time/clock.ts';
import { inspectContainer } from './containerApi.ts';
import type { Engine } from './engine.ts';
import { pause } from '../backoff.ts';

/** Interval in ms. The engine reads the whole disk of the container each time. */
const INTERVAL_MS = 10_000;

export interface WatchedDisk {
  readonly engine: Engine;
  readonly containerId: string;
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Watches the size of the files that a container wrote, for engines that cannot limit it.
 *
 * @returns a promise that resolves with true once the size exceeds the limit, and with false once the signal is aborted
 */
export async function exceedsDisk({ engine, containerId, limitBytes, clock, signal }: WatchedDisk): Promise<boolean> {
  for (;;) {
    await pause(clock, INTERVAL_MS, signal);
    if (signal.aborted) return false;
    // An engine that cannot be reached is asked again.
    const found = await inspectContainer(engine, containerId, { size: true, signal }).catch(() => undefined);
    if ((found?.SizeRw ?? 0) > limitBytes) return true;
  }
}
