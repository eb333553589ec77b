import type { NanoUsd } from './money.ts';

/* How usage becomes money: what accrues while something is up, and what each hour of it costs. */

/**
 * What is paid for, each under a name of its own on the bill: the member of the billing amounts without "Amount". The fee is deprecated:
 * nothing is metered as one.
 */
export const USAGE_KINDS = [
  ...(['podGpu', 'podCpu', 'podDisk', 'serverlessGpu', 'serverlessCpu', 'serverlessDisk', 'serverlessFee'] as const),
  ...(['storageStandard', 'storageHighPerformance', 'endpoint'] as const),
  ...(['clusterGpu', 'clusterDisk', 'clusterNetworking'] as const),
] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

interface Owed {
  /** Who pays. Left out: the owner of the platform. */
  readonly accountId?: string | undefined;
  readonly kind: UsageKind;
  /** The serverless endpoint, network volume or public endpoint it is for. */
  readonly resourceId: string;
}

/** Something that costs as long as it lasts. Times are milliseconds since the epoch. */
export interface Usage extends Owed {
  /** What it comes from, which ends it: a run of a worker, a network volume. */
  readonly sourceId: string;
  /** Price of a month of 30 days, the longest unit prices are quoted in: every quoted price is a whole number of it. */
  readonly nanoUsdPerMonth: NanoUsd;
  /** It is charged in steps of this length; a step that has begun is owed in full, in the hour in which it began. */
  readonly stepMs: number;
  readonly startedAt: number;
}

/** Usage whose charges have not all been summed up yet. */
export interface UnsettledUsage extends Usage {
  /** undefined while it lasts. */
  readonly endedAt: number | undefined;
  /** What it costs before this moment is in the sums. */
  readonly settledTo: number;
}

/** Something that is paid once. A correction is a charge below zero. */
export interface Charge extends Owed {
  readonly nanoUsd: NanoUsd;
  readonly at: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Days of the month that prices are quoted for. */
const MONTH_MS = 30n * BigInt(DAY_MS);

export const SECONDS_PER_MONTH = MONTH_MS / 1000n;

/** Start of the hour, or day, in UTC that a moment lies in. */
export const startOf = (lengthMs: number, moment: number): number => Math.floor(moment / lengthMs) * lengthMs;

/** All that is owed for the time before a moment, in nano-dollars. */
export function owedBefore({ startedAt, stepMs, nanoUsdPerMonth }: Usage, moment: number): NanoUsd {
  const steps = Math.max(0, Math.ceil((moment - startedAt) / stepMs));
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
