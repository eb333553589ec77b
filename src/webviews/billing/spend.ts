import type { BillingAmounts, BillingResponse, BucketSize } from '../../contract/billing.ts';
import { amountOf, SERIES, type Series } from './series.ts';

export interface Part {
  readonly series: Series;
  readonly amount: number;
}

/** What was spent in the half-open stretch of time [start, end), in ms since the epoch. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Only what is not zero, in stacking order. */
  readonly parts: readonly Part[];
}

export interface Spend {
  readonly bucketSize: BucketSize;
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Every bucket of the window, in order. */
  readonly buckets: readonly Bucket[];
  /** What anything was spent on in the window, with its total, in stacking order. */
  readonly parts: readonly Part[];
}

/** A window of nonsense must not hang the page. */
const MAX_BUCKETS = 10_000;

/** The spend of a billing answer. Buckets the service left out, because nothing was spent in them, are there with zero. */
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

/** Where the bucket that begins at `start` ends; buckets are cut in UTC. */
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
