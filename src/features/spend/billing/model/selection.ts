import { BUCKET_SIZES, type BillingQuery, type BucketSize } from '../../../../contract/billing.ts';
import { parseInstant } from '../../../../contract/dateTime.ts';
import type { BillingPeriod, BillingSelection } from '../../../../webviews/billing/messages.ts';
import { addBuckets } from './buckets.ts';

/* The selection of the view, and the query that it stands for. */

type Counts = Partial<Record<BucketSize, number>>;

/** Periods that end now: the number of buckets of each size. The first size is the default. */
const ROLLING: Partial<Record<BillingPeriod, Counts>> = {
  day: { hour: 24 },
  week: { day: 7, hour: 168 },
  month: { day: 30, hour: 720, week: 5 },
  year: { month: 12, week: 53, day: 366, hour: 8784 },
};

/** Bucket sizes that fit a calendar month. The first one is the default. */
const IN_A_MONTH: readonly BucketSize[] = ['day', 'hour', 'month'];

export const DEFAULT_SELECTION: BillingSelection = { period: 'day', bucketSize: 'hour', grouping: 'kind', count: 24 };

/** Returns the bucket sizes that fit a period, shortest first. */
export function bucketSizesOf(period: BillingPeriod): readonly BucketSize[] {
  const sizes = preferredSizes(period);
  return BUCKET_SIZES.filter((size) => sizes.includes(size));
}

function preferredSizes(period: BillingPeriod): readonly BucketSize[] {
  const counts = ROLLING[period];
  if (counts) return Object.keys(counts) as BucketSize[];
  return period === 'thisMonth' || period === 'lastMonth' ? IN_A_MONTH : BUCKET_SIZES;
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

/** Returns the query of a selection without a problem. @param now time of the service, in ms since the epoch */
export function queryOf({ period, bucketSize, count, start, end }: BillingSelection, now: number): BillingQuery {
  switch (period) {
    case 'last':
      return { bucketSize, lastN: count };
    case 'custom':
      return { bucketSize, ...(isGiven(start) && { startTime: start }), ...(isGiven(end) && { endTime: end }) };
    case 'thisMonth':
      // The service ends the window with the current bucket.
      return { bucketSize, startTime: isoTime(monthStart(now)) };
    case 'lastMonth':
      return {
        bucketSize,
        startTime: isoTime(addBuckets(monthStart(now), 'month', -1)),
        endTime: isoTime(monthStart(now)),
      };
    default:
      return { bucketSize, lastN: ROLLING[period]?.[bucketSize] };
  }
}

/** Returns whether a time of a custom period is given. An empty one is left to the service. */
function isGiven(time: string | undefined): time is string {
  return time !== undefined && time !== '';
}

function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
