// The whole one makes formatters when it is loaded, for which Node reads its tables of languages: a tenth of the platform's start.
import { UTCDateMini } from '@date-fns/utc/date/mini';
// By function: the package's index loads some 300 files when it is not bundled.
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
  type BillingQuery,
  type BucketSize,
} from '../../contract/billing.ts';
import { Refusal } from './refusal.ts';

/* Billing windows and their buckets (interface document, Endpoints 1). All in UTC; weeks begin on Monday. */

/** A half-open stretch of time, milliseconds since the epoch. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
}

export interface BillingWindow extends Bucket {
  readonly bucketSize: BucketSize;
}

/** Buckets one answer may hold; a year of hours is 8,784. */
export const MAX_BUCKETS = 10_000;

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

/**
 * The window a query asks for, snapped to whole buckets: the start down, the end up unless it is on a border.
 *
 * @throws Refusal 400 for lastN together with startTime or endTime, an empty window, more than MAX_BUCKETS buckets, or one that does
 *   not lie in the years 1 to 9999
 */
export function resolveWindow(query: BillingQuery, now: number): BillingWindow {
  const window = snappedWindow(query, now);
  if (window.start < EARLIEST || window.end > LATEST)
    throw new Refusal(400, 'the window, in whole buckets, reaches beyond the years 1 to 9999');
  return window;
}

function snappedWindow(query: BillingQuery, now: number): BillingWindow {
  const bucketSize = query.bucketSize ?? DEFAULT_BUCKET_SIZE;
  const { start, add, shortestMs } = CALENDAR[bucketSize];
  const { lastN } = query;
  if (lastN !== undefined) {
    if (query.startTime !== undefined || query.endTime !== undefined) {
      throw new Refusal(400, 'lastN cannot be combined with startTime or endTime', [
        '$.lastN: excludes startTime and endTime',
      ]);
    }
    if (lastN > MAX_BUCKETS) throw tooManyBuckets();
    const current = start(now).getTime();
    return { bucketSize, start: add(current, 1 - lastN).getTime(), end: add(current, 1).getTime() };
  }
  const from = query.startTime === undefined ? now - DEFAULT_WINDOW_DAYS * 86_400_000 : Date.parse(query.startTime);
  const to = query.endTime === undefined ? now : Date.parse(query.endTime);
  if (from >= to) {
    throw new Refusal(400, 'startTime must be before endTime', ['$.startTime: is not before endTime']);
  }
  const snapped = start(to).getTime();
  const window = {
    bucketSize,
    start: start(from).getTime(),
    end: snapped === to ? to : add(snapped, 1).getTime(),
  };
  if ((window.end - window.start) / shortestMs > MAX_BUCKETS) throw tooManyBuckets();
  return window;
}

/** RFC 3339 has years of four digits, and no year before the first in every calendar library. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59Z');

function tooManyBuckets(): Refusal {
  return new Refusal(400, `the window holds more than ${MAX_BUCKETS} buckets; ask for a shorter one or larger buckets`);
}

/** The buckets of a window, in order. */
export function bucketsOf({ start, end, bucketSize }: BillingWindow): Bucket[] {
  const { add } = CALENDAR[bucketSize];
  const buckets: Bucket[] = [];
  for (let at = start; at < end;) {
    const next = add(at, 1).getTime();
    buckets.push({ start: at, end: next });
    at = next;
  }
  return buckets;
}
