import { BUCKET_SIZES, DEFAULT_WINDOW_DAYS, type BillingQuery, type BucketSize } from '../../../../contract/billing.ts';
import { parseInstant } from '../../../../contract/dateTime.ts';
import type { BillingPeriod, BillingSelection } from '../../../../webviews/billing/messages.ts';
import { addBuckets, isBoundary } from './buckets.ts';

/* The selection of the view, and the query that it stands for. */

/** Periods that end now: their length in buckets, and the sizes of bars that fit them. The first size is the default. */
const ROLLING = {
  day: { count: 24, of: 'hour', sizes: ['hour'] },
  week: { count: 7, of: 'day', sizes: ['day', 'hour'] },
  month: { count: 30, of: 'day', sizes: ['day', 'hour', 'week'] },
  year: { count: 12, of: 'month', sizes: ['month', 'week', 'day', 'hour'] },
} as const satisfies Partial<Record<BillingPeriod, { count: number; of: BucketSize; sizes: readonly BucketSize[] }>>;

/** Bucket sizes that fit a calendar month. The first one is the default. */
const IN_A_MONTH: readonly BucketSize[] = ['day', 'hour', 'month'];

export const DEFAULT_SELECTION: BillingSelection = { period: 'day', bucketSize: 'hour', grouping: 'kind', count: 24 };

/** Returns the bucket sizes that fit a period, shortest first. */
export function bucketSizesOf(period: BillingPeriod): readonly BucketSize[] {
  const sizes = preferredSizes(period);
  return BUCKET_SIZES.filter((size) => sizes.includes(size));
}

function preferredSizes(period: BillingPeriod): readonly BucketSize[] {
  if (isRolling(period)) return ROLLING[period].sizes;
  return period === 'thisMonth' || period === 'lastMonth' ? IN_A_MONTH : BUCKET_SIZES;
}

function isRolling(period: BillingPeriod): period is keyof typeof ROLLING {
  return Object.hasOwn(ROLLING, period);
}

/** A resolved window, in ms since the epoch. */
interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Returns the selection of a period, with the bucket size that suits it best. */
export function selectionOf(period: BillingPeriod): BillingSelection {
  return { ...DEFAULT_SELECTION, period, bucketSize: preferredSizes(period)[0] ?? DEFAULT_SELECTION.bucketSize };
}

/**
 * Completes a new selection. A new period has the bucket size that suits it best. A custom period without times begins with the window that
 * is shown.
 */
export function completed(
  selection: BillingSelection,
  before: BillingSelection,
  shown: Interval | undefined,
): BillingSelection {
  const { period, bucketSize } = selection;
  const sizes = preferredSizes(period);
  const isFree = period === 'last' || period === 'custom';
  const fits = sizes.includes(bucketSize) && (isFree || period === before.period);
  const fitting = { ...selection, bucketSize: fits ? bucketSize : (sizes[0] ?? bucketSize) };
  if (period !== 'custom' || !shown) return fitting;
  const { start = isoTime(shown.start), end = isoTime(shown.end) } = selection;
  return { ...fitting, start, end };
}

/** Reason why a selection cannot be read. */
export type SelectionProblem = 'noCount' | 'noTimes' | 'endBeforeStart';

/** Returns why a selection cannot be read, or undefined. The service decides how many buckets it returns. */
export function problemOf({ period, count, start, end }: BillingSelection): SelectionProblem | undefined {
  if (period === 'last') return Number.isSafeInteger(count) && count >= 1 ? undefined : 'noCount';
  if (period !== 'custom') return undefined;
  const [from, to] = [start, end].map((text) => (isGiven(text) ? parseInstant(text)?.ms : undefined));
  if ((isGiven(start) && from === undefined) || (isGiven(end) && to === undefined)) return 'noTimes';
  // The service has a default for a missing time.
  if (from === undefined || to === undefined) return undefined;
  return to <= from ? 'endBeforeStart' : undefined;
}

/**
 * Returns the query of a selection without a problem. The window depends only on the period, so that its total is the same with all bars.
 * The service rounds a window to whole buckets. If the window does not consist of whole bars, the query has the largest smaller buckets
 * that it consists of, and the editor adds them up.
 *
 * @param now time of the service, in ms since the epoch
 */
export function queryOf(selection: BillingSelection, now: number): BillingQuery {
  const { bucketSize } = selection;
  const count = countOf(selection);
  if (count !== undefined) return { bucketSize, lastN: count };
  const { start, end } = windowOf(selection, now);
  return {
    bucketSize: grainOf(bucketSize, end === undefined ? [start] : [start, end]),
    startTime: isoTime(start),
    ...(end !== undefined && { endTime: isoTime(end) }),
  };
}

/** Returns the number of bars that end now, if the period has a fixed number of them. The service then knows the time. */
export function countOf({ period, bucketSize, count }: BillingSelection): number | undefined {
  if (period === 'last') return count;
  return isRolling(period) && ROLLING[period].of === bucketSize ? ROLLING[period].count : undefined;
}

/** Returns the largest size of buckets, at most `bucketSize`, whose boundaries contain these times. Defaults to the smallest size. */
export function grainOf(bucketSize: BucketSize, times: readonly number[]): BucketSize {
  const sizes = BUCKET_SIZES.slice(0, BUCKET_SIZES.indexOf(bucketSize) + 1);
  return sizes.findLast((size) => times.every((time) => isBoundary(time, size))) ?? 'hour';
}

/** Returns a report whose buckets are the bars of the selection, which can consist of several buckets that the service returned. */
export function inBars<Report extends { readonly metadata: { readonly query: { readonly bucketSize: BucketSize } } }>(
  report: Report,
  { bucketSize }: BillingSelection,
): Report {
  const { metadata } = report;
  return { ...report, metadata: { ...metadata, query: { ...metadata.query, bucketSize } } };
}

/** Returns the window of a period. A window without an end ends now. */
function windowOf({ period, start, end }: BillingSelection, now: number): { start: number; end?: number | undefined } {
  if (isRolling(period)) {
    const { count, of } = ROLLING[period];
    return { start: addBuckets(now, of, 1 - count) };
  }
  const month = addBuckets(now, 'month', 0);
  if (period === 'thisMonth') return { start: month };
  if (period === 'lastMonth') return { start: addBuckets(month, 'month', -1), end: month };
  const [from, to] = [start, end].map((text) => (isGiven(text) ? parseInstant(text)?.ms : undefined));
  return { start: from ?? addBuckets(now, 'day', -DEFAULT_WINDOW_DAYS), end: to };
}

/** Returns whether a time of a custom period is given. An empty one is left to the service. */
function isGiven(time: string | undefined): time is string {
  return time !== undefined && time !== '';
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
