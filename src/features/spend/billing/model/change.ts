import type { BillingQuery, BillingResponse } from '../../../../contract/billing.ts';
import type { BillingChange } from '../../../../webviews/billing/messages.ts';
import {
  addBuckets,
  boundariesOf,
  countBuckets,
  isBoundary,
  MAX_SHOWN_BUCKETS,
  type AppliedWindow,
} from './buckets.ts';
import { grainOf } from './selection.ts';
import { sumOf } from '../../../../account/prices/amounts.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';

/*
 * Comparison of a window with the window before. Only finished buckets count, because the current one is not over: 29 finished days of the
 * last 30 are compared with the 29 days before the window.
 */

/** Returns the number of buckets of a window that are over. Times are ms since the epoch. */
export function finishedBuckets(boundaries: readonly number[], now: number): number {
  return boundaries.filter((end, index) => index > 0 && end <= now).length;
}

/**
 * Returns the query for as many buckets before a window as it has finished ones. Undefined if none is finished, and for a window that the
 * page cannot draw as a whole, whose report is large.
 */
export function queryBefore(window: AppliedWindow, now: number): BillingQuery | undefined {
  if (countBuckets(window) > MAX_SHOWN_BUCKETS) return undefined;
  const boundaries = boundariesOf(window);
  const [start = 0] = boundaries;
  const count = finishedBuckets(boundaries, now);
  if (count === 0) return undefined;
  const { bucketSize } = window;
  // A window that begins within a bar is compared with an equally long one.
  const before = isBoundary(start, bucketSize)
    ? addBuckets(start, bucketSize, -count)
    : start - ((boundaries[count] ?? start) - start);
  return {
    bucketSize: grainOf(bucketSize, [before, start]),
    startTime: new Date(before).toISOString(),
    endTime: new Date(start).toISOString(),
  };
}

/** Compares the finished buckets of a window with the report of the window before. */
export function changeOf({ records, metadata }: BillingResponse, before: BillingResponse, now: number): BillingChange {
  const boundaries = boundariesOf(metadata.query);
  const buckets = finishedBuckets(boundaries, now);
  const isOver = buckets === boundaries.length - 1;
  const end = boundaries[buckets] ?? now;
  const finished = records.filter(({ endTime }) => millisecondsOf(endTime) <= end);
  return {
    current: isOver ? metadata.totals.totalAmount : sumOf(finished.map(({ totalAmount }) => totalAmount)),
    previous: before.metadata.totals.totalAmount,
    buckets,
  };
}
