import type { BucketSize } from '../../../contract/billing.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';

/* Buckets of a window. Boundaries are in UTC. Times are ms since the epoch. */

/** Maximum number of buckets that the view shows: more than a year of hours. A longer answer is cut. */
export const MAX_SHOWN_BUCKETS = 10_000;

/** Moves a boundary by a number of buckets, which can be negative. */
export function addBuckets(boundary: number, size: BucketSize, count: number): number {
  const date = new Date(boundary);
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

/** Window of a report, as the service applied it. */
export interface AppliedWindow {
  readonly startTime: string;
  readonly endTime: string;
  readonly bucketSize: BucketSize;
}

/** Returns the boundaries of all buckets of a window: one more than there are buckets. */
export function boundariesOf({ startTime, endTime, bucketSize }: AppliedWindow): number[] {
  const end = millisecondsOf(endTime);
  const boundaries = [millisecondsOf(startTime)];
  for (let at = boundaries[0] ?? end; at < end && boundaries.length <= MAX_SHOWN_BUCKETS;)
    boundaries.push((at = addBuckets(at, bucketSize, 1)));
  return boundaries;
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
