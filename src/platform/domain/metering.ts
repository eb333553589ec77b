import { DISK_PICO_USD_PER_GB_SECOND } from './catalog.ts';

/* What a worker's time costs (facts, section 10): from its start to its full stop, start-up and idle time included. */

/** One stretch of a worker being up. Times are milliseconds since the epoch. */
export interface UsageRecord {
  readonly endpointId: string;
  readonly workerId: string;
  readonly resource: 'gpu' | 'cpu';
  readonly nanoUsdPerSecond: number;
  readonly diskGb: number;
  readonly startedAt: number;
  /** undefined while it is up. */
  readonly endedAt?: number | undefined;
}

/** Integers in nano-dollars (1e-9 USD). */
export interface UsageCost {
  readonly compute: number;
  readonly disk: number;
}

/**
 * Cost of the part of a stretch that lies in [from, to). The parts of any partition add up to the whole exactly, because each is
 * the difference of what had been charged by its two ends; the whole is rounded up to a second.
 */
export function usageCost(usage: UsageRecord, from: number, to: number, now: number): UsageCost {
  const before = chargedSeconds(usage, from, now);
  const after = chargedSeconds(usage, to, now);
  return {
    compute: (after - before) * usage.nanoUsdPerSecond,
    disk: diskNanoUsd(usage, after) - diskNanoUsd(usage, before),
  };
}

function chargedSeconds({ startedAt, endedAt = Infinity }: UsageRecord, until: number, now: number): number {
  return Math.max(0, Math.ceil((Math.min(until, endedAt, now) - startedAt) / 1000));
}

function diskNanoUsd({ diskGb }: UsageRecord, seconds: number): number {
  return Math.round((seconds * diskGb * DISK_PICO_USD_PER_GB_SECOND) / 1000);
}
