import { type Clock, pause } from '../../time/clock.ts';
import { inspectContainer } from './engineRequests.ts';
import type { Engine } from '../../../machine/engine/engine.ts';

/** Limits of the time between two checks, in ms. The engine reads the sizes of all files of the container each time. */
const MIN_INTERVAL_MS = 250;
const MAX_INTERVAL_MS = 10_000;
/** Speed of a fast disk, in bytes per ms. A container cannot fill the rest of its disk before the next check. */
const WRITE_SPEED = 2_000_000;
/** Factor by which the time between two checks is longer than a check. */
const PAUSE_FACTOR = 4;

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
  let size = 0;
  let checkMs = 0;
  for (;;) {
    const fillMs = (limitBytes - size) / WRITE_SPEED;
    const intervalMs = Math.max(MIN_INTERVAL_MS, checkMs * PAUSE_FACTOR, Math.min(fillMs, MAX_INTERVAL_MS));
    await pause(clock, intervalMs, signal);
    if (signal.aborted) return false;
    const startedAt = performance.now();
    // An engine that cannot be reached is asked again.
    const found = await inspectContainer(engine, containerId, { size: true, signal }).catch(() => undefined);
    checkMs = performance.now() - startedAt;
    size = found?.SizeRw ?? size;
    if (size > limitBytes) return true;
  }
}
