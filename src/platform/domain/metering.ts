import type { NanoUsd } from './money.ts';

/* Converts usage to charges. */

/**
 * Billing categories. Each is named after its member of the billing amounts, without "Amount". The serverless fee is deprecated, and no
 * usage is metered as such.
 */
export const USAGE_KINDS = [
  ...(['podGpu', 'podCpu', 'podDisk', 'serverlessGpu', 'serverlessCpu', 'serverlessDisk', 'serverlessFee'] as const),
  ...(['storageStandard', 'storageHighPerformance', 'endpoint'] as const),
  ...(['clusterGpu', 'clusterDisk', 'clusterNetworking'] as const),
] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

interface ChargeBase {
  /** Account that pays. Omitted for the owner of the platform. */
  readonly accountId?: string | undefined;
  readonly kind: UsageKind;
  /** ID of the serverless endpoint, network volume, or public endpoint. */
  readonly resourceId: string;
}

/** A cost that accrues over time. Times are milliseconds since the epoch. */
export interface Usage extends ChargeBase {
  /** ID of the source whose end also ends the usage: a run of a worker, or a network volume. */
  readonly sourceId: string;
  /** Price of a month of 30 days, the longest unit of quoted prices, so that every quoted price is an integer. */
  readonly nanoUsdPerMonth: NanoUsd;
  /** Length of a charging step in ms. A step is owed in full when it begins, and belongs to the hour in which it began. */
  readonly stepMs: number;
  readonly startedAt: number;
}

/** Usage with charges that have not been added to the sums. */
export interface UnsettledUsage extends Usage {
  /** Undefined while the usage continues. */
  readonly endedAt: number | undefined;
  /** The sums include the cost before this time. */
  readonly settledTo: number;
}

/** A cost that is charged once. A correction is a negative charge. */
export interface Charge extends ChargeBase {
  readonly nanoUsd: NanoUsd;
  readonly at: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Length of the month that prices are quoted for. */
const MONTH_MS = 30n * BigInt(DAY_MS);

export const SECONDS_PER_MONTH = MONTH_MS / 1000n;

/** Returns the start of the hour or day in UTC that contains a moment. */
export const startOf = (lengthMs: number, moment: number): number => Math.floor(moment / lengthMs) * lengthMs;

/** Returns the number of charging steps that have begun after a time in ms. */
export const startedSteps = (ms: number, stepMs: number): number => Math.max(0, Math.ceil(ms / stepMs));

/** Returns the amount that is owed for the time before a moment, in nano-dollars. */
export function owedBefore({ startedAt, stepMs, nanoUsdPerMonth }: Usage, moment: number): NanoUsd {
  const steps = startedSteps(moment - startedAt, stepMs);
  return (BigInt(steps) * BigInt(stepMs) * nanoUsdPerMonth + MONTH_MS / 2n) / MONTH_MS;
}

/**
 * Splits the cost of [from, to) into hours or days. Each charge is the difference between the amounts owed at its two ends, so the parts
 * of any partition add up exactly, to the nano-dollar.
 */
export function* chargesBy(lengthMs: number, usage: Usage, from: number, to: number): Generator<Charge> {
  const { kind, resourceId } = usage;
  let owed = owedBefore(usage, from);
  for (let at = startOf(lengthMs, from); at < to; at += lengthMs) {
    const before = owed;
    owed = owedBefore(usage, Math.min(at + lengthMs, to));
    if (owed > before) yield { kind, resourceId, nanoUsd: owed - before, at };
  }
}
