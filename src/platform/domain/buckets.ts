// `UTCDate` creates formatters on import, for which Node.js loads locale data. This takes a tenth of the platform's start time.
import { UTCDateMini } from '@date-fns/utc/date/mini';
// Imports single functions, because the package's index loads about 300 files when it is not bundled.
import { addDays } from 'date-fns/addDays';
import { addHours } from 'date-fns/addHours';
import { addMonths } from 'date-fns/addMonths';
import { addWeeks } from 'date-fns/addWeeks';
import { addYears } from 'date-fns/addYears';
import { startOfDay } from 'date-fns/startOfDay';
import { startOfHour } from 'date-fns/startOfHour';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import { startOfYear } from 'date-fns/startOfYear';
import {
  DEFAULT_BUCKET_SIZE,
  DEFAULT_WINDOW_DAYS,
  MAX_BUCKETS,
  type BillingQuery,
  type BucketSize,
} from '../../contract/billing.ts';
import { EARLIEST_MOMENT, LATEST_MOMENT } from '../../contract/bounds.ts';
import { parseInstant } from '../../contract/dateTime.ts';
import { fieldError, formatViolation } from '../../contract/violation.ts';
import { Refusal } from './refusal.ts';

/* Billing windows and their buckets. All times are in UTC, and weeks begin on Monday. */

/** A half-open interval [start, end), in milliseconds since the epoch. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
}

export interface BillingWindow extends Bucket {
  readonly bucketSize: BucketSize;
}

const inUtc = { in: (value: string | number | Date) => new UTCDateMini(+new Date(value)) };

const CALENDAR: Readonly<
  Record<BucketSize, { start: (time: number) => Date; add: (time: number, count: number) => Date; shortestMs: number }>
> = {
  hour: {
    start: (time) => startOfHour(time, inUtc),
    add: (time, n) => addHours(time, n, inUtc),
    shortestMs: 3_600_000,
  },
  day: { start: (time) => startOfDay(time, inUtc), add: (time, n) => addDays(time, n, inUtc), shortestMs: 86_400_000 },
  week: {
    start: (time) => startOfISOWeek(time, inUtc),
    add: (time, n) => addWeeks(time, n, inUtc),
    shortestMs: 7 * 86_400_000,
  },
  month: {
    start: (time) => startOfMonth(time, inUtc),
    add: (time, n) => addMonths(time, n, inUtc),
    shortestMs: 28 * 86_400_000,
  },
  year: {
    start: (time) => startOfYear(time, inUtc),
    add: (time, n) => addYears(time, n, inUtc),
    shortestMs: 365 * 86_400_000,
  },
};

const TOO_MANY_BUCKETS = `the window has more than ${MAX_BUCKETS} buckets; request a shorter window or larger buckets`;

/**
 * Resolves the window of a query to whole buckets: rounds the start down and the end up.
 *
 * @throws Refusal 400 for lastN together with startTime or endTime, an empty window, a window of more than MAX_BUCKETS buckets, or a
 *   window outside the years 1 to 9999
 */
export function resolveWindow(query: BillingQuery, now: number): BillingWindow {
  const window = wholeBuckets(query, now);
  if (window.start < EARLIEST_MOMENT || window.end > LATEST_MOMENT)
    throw new Refusal(400, 'the window, in whole buckets, must lie within the years 1 to 9999');
  return window;
}

function wholeBuckets(query: BillingQuery, now: number): BillingWindow {
  const bucketSize = query.bucketSize ?? DEFAULT_BUCKET_SIZE;
  const { start, add, shortestMs } = CALENDAR[bucketSize];
  const { lastN } = query;
  if (lastN !== undefined) {
    if (query.startTime !== undefined || query.endTime !== undefined) {
      throw new Refusal(400, 'lastN cannot be combined with startTime or endTime', [
        formatViolation(fieldError(['lastN'], 'lastNWithWindow', {})),
      ]);
    }
    const current = start(now).getTime();
    if (lastN > MAX_BUCKETS) throw new Refusal(400, `lastN: ${TOO_MANY_BUCKETS}`);
    return { bucketSize, start: add(current, 1 - lastN).getTime(), end: add(current, 1).getTime() };
  }
  const from = momentOf(query.startTime, 'down') ?? now - DEFAULT_WINDOW_DAYS * 86_400_000;
  const to = momentOf(query.endTime, 'up') ?? now;
  if (from >= to) {
    throw new Refusal(400, 'startTime must be before endTime', [
      formatViolation(fieldError(['startTime'], 'windowReversed', {})),
    ]);
  }
  const snapped = start(to).getTime();
  const window = {
    bucketSize,
    start: start(from).getTime(),
    end: snapped === to ? to : add(snapped, 1).getTime(),
  };
  if ((window.end - window.start) / shortestMs > MAX_BUCKETS) throw new Refusal(400, TOO_MANY_BUCKETS);
  return window;
}

/** Converts a time of the query to ms since the epoch. The end rounds partial milliseconds up, to include them. */
function momentOf(text: string | undefined, round: 'down' | 'up'): number | undefined {
  const instant = text === undefined ? undefined : parseInstant(text);
  if (!instant) return undefined;
  return round === 'up' && instant.nanoseconds > 0 ? instant.ms + 1 : instant.ms;
}

/** Yields the buckets of a window, in order. */
export function* bucketsOf({ start, end, bucketSize }: BillingWindow): Generator<Bucket> {
  const { add } = CALENDAR[bucketSize];
  for (let at = start; at < end;) {
    const next = add(at, 1).getTime();
    yield { start: at, end: next };
    at = next;
  }
}
