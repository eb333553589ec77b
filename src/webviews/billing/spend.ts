import type { BillingAmounts, BillingResponse, BucketSize } from '../../contract/billing.ts';
import { amountOf, SERIES, type Series } from './series.ts';

export interface Part {
  readonly series: Series;
  readonly amount: number;
}

/** Spend in the half-open interval [start, end), in ms since the epoch. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Amounts other than zero, in stacking order. */
  readonly parts: readonly Part[];
}

export interface Spend {
  readonly bucketSize: BucketSize;
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** All buckets of the period, in order of time. */
  readonly buckets: readonly Bucket[];
  /** Totals of the period other than zero, in stacking order. */
  readonly parts: readonly Part[];
}

/** Maximum number of buckets, so that an invalid period cannot block the page. */
const MAX_BUCKETS = 10_000;

/** Converts a billing response. Adds the buckets without spend, which the service omits. */
export function spendOf({ records, metadata }: BillingResponse): Spend {
  const { bucketSize } = metadata.query;
  const start = Date.parse(metadata.query.startTime);
  const end = Date.parse(metadata.query.endTime);
  const buckets = new Map<number, Bucket>();
  for (let at = start, count = 0; at < end && count < MAX_BUCKETS; at = bucketEnd(at, bucketSize), count++) {
    buckets.set(at, { start: at, end: bucketEnd(at, bucketSize), total: 0, parts: [] });
  }
  for (const record of records) {
    const at = Date.parse(record.startTime);
    buckets.set(at, { start: at, end: Date.parse(record.endTime), total: record.totalAmount, parts: partsOf(record) });
  }
  return {
    bucketSize,
    start,
    end,
    total: metadata.totals.totalAmount,
    buckets: [...buckets.values()].sort((one, other) => one.start - other.start),
    parts: partsOf(metadata.totals),
  };
}

function partsOf(amounts: BillingAmounts): Part[] {
  return SERIES.map((series) => ({ series, amount: amountOf(series, amounts) })).filter(({ amount }) => amount !== 0);
}

/** Returns the end of the bucket that starts at `start`, in ms since the epoch. Bucket boundaries are in UTC. */
export function bucketEnd(start: number, size: BucketSize): number {
  const date = new Date(start);
  switch (size) {
    case 'hour':
      return date.setUTCHours(date.getUTCHours() + 1);
    case 'day':
      return date.setUTCDate(date.getUTCDate() + 1);
    case 'week':
      return date.setUTCDate(date.getUTCDate() + 7);
    case 'month':
      return date.setUTCMonth(date.getUTCMonth() + 1);
    case 'year':
      return date.setUTCFullYear(date.getUTCFullYear() + 1);
  }
}
