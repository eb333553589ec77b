import { MAX_BUCKETS, type BucketSize } from '../../../../contract/billing.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { BillingChart } from '../../../../webviews/billing/messages.ts';

/* Buckets of a window. Boundaries are in UTC. Times are ms since the epoch. */

/** Maximum number of buckets that the page draws: more than a year of hours. It has the last ones of a longer window. */
export const MAX_SHOWN_BUCKETS = 10_000;

/** Returns the start of the bucket that contains a time. Weeks begin on Monday. */
function startOf(time: number, size: BucketSize): number {
  const date = new Date(time);
  switch (size) {
    case 'hour':
      return date.setUTCMinutes(0, 0, 0);
    case 'day':
      return date.setUTCHours(0, 0, 0, 0);
    case 'week':
      date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
      return date.setUTCHours(0, 0, 0, 0);
    case 'month':
      date.setUTCDate(1);
      return date.setUTCHours(0, 0, 0, 0);
    case 'year':
      date.setUTCMonth(0, 1);
      return date.setUTCHours(0, 0, 0, 0);
  }
}

/** Returns whether a time is the boundary of a bucket. */
export function isBoundary(time: number, size: BucketSize): boolean {
  return startOf(time, size) === time;
}

/** Returns the boundary that is a number of buckets after the bucket that contains a time. The number can be negative. */
export function addBuckets(time: number, size: BucketSize, count: number): number {
  const date = new Date(startOf(time, size));
  switch (size) {
    case 'hour':
      return date.setUTCHours(date.getUTCHours() + count);
    case 'day':
      return date.setUTCDate(date.getUTCDate() + count);
    case 'week':
      return date.setUTCDate(date.getUTCDate() + 7 * count);
    case 'month':
      return date.setUTCMonth(date.getUTCMonth() + count);
    case 'year':
      return date.setUTCFullYear(date.getUTCFullYear() + count);
  }
}

/** Window of a report with its bars. The first bar of a window that does not begin with a bucket is shorter. */
export interface AppliedWindow {
  readonly startTime: string;
  readonly endTime: string;
  readonly bucketSize: BucketSize;
}

/**
 * Returns the boundaries of all buckets of a window: one more than there are buckets. A window of more than `MAX_BUCKETS` buckets has only
 * the boundaries of its last ones, so that no answer can fill the memory.
 */
export function boundariesOf(window: AppliedWindow): number[] {
  const { startTime, endTime, bucketSize } = window;
  const end = millisecondsOf(endTime);
  const left = Math.max(0, countBuckets(window) - MAX_BUCKETS);
  const start = millisecondsOf(startTime);
  const boundaries = [left === 0 ? start : addBuckets(start, bucketSize, left)];
  for (let at = boundaries[0] ?? end; at < end;) boundaries.push((at = addBuckets(at, bucketSize, 1)));
  return boundaries;
}

const LENGTHS_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** Returns the number of buckets of a window. */
export function countBuckets({ startTime, endTime, bucketSize }: AppliedWindow): number {
  const [first, end] = [millisecondsOf(startTime), millisecondsOf(endTime)];
  if (!(end > first)) return 0;
  const start = startOf(first, bucketSize);
  if (bucketSize !== 'month' && bucketSize !== 'year') return Math.ceil((end - start) / LENGTHS_MS[bucketSize]);
  const months = monthOf(end) - monthOf(start);
  const whole = bucketSize === 'month' ? months : Math.floor(months / 12);
  return addBuckets(start, bucketSize, whole) < end ? whole + 1 : whole;
}

function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns the index of the bucket that contains a time, or undefined if no bucket does. */
export function bucketAt(boundaries: readonly number[], time: number): number | undefined {
  let [low, high] = [0, boundaries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((boundaries[middle] ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low === 0 || low === boundaries.length ? undefined : low - 1;
}

/** Returns the part of a chart that the page draws: the last buckets. The service decides how many buckets a window has. */
export function shownPart(chart: BillingChart, window: AppliedWindow): BillingChart {
  const { times, totals, series, running } = chart;
  const left = totals.length - MAX_SHOWN_BUCKETS;
  if (left <= 0) return chart;
  return {
    ...chart,
    times: times.slice(left),
    totals: totals.slice(left),
    series: series.map((one) => ({ ...one, amounts: one.amounts.slice(left) })),
    running: running === undefined || running < left ? undefined : running - left,
    whole: { start: millisecondsOf(window.startTime), buckets: countBuckets(window), exported: totals.length },
  };
}
