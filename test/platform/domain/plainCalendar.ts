import type { BucketSize } from '../../../src/contract/billing.ts';

/* A second implementation of the calendar. It uses only integers, neither Date nor a library, so that tests can compare it with both. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysOf = (year: number): number => (isLeap(year) ? 366 : 365);
const monthsOf = (year: number): number[] => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the year of a day since 1970, and the year's first day. Counts the years from 1970. */
function yearOf(day: number): { year: number; first: number } {
  let [year, first] = [1970, 0];
  while (first + daysOf(year) <= day) first += daysOf(year++);
  return { year, first };
}

/** Returns the start and end of the bucket that contains a time since 1970. */
export function plainBucket(size: BucketSize, time: number): { start: number; end: number } {
  const day = Math.floor(time / DAY_MS);
  const days = (start: number, count: number) => ({ start: start * DAY_MS, end: (start + count) * DAY_MS });
  switch (size) {
    case 'hour': {
      const start = time - (time % HOUR_MS);
      return { start, end: start + HOUR_MS };
    }
    case 'day':
      return days(day, 1);
    case 'week':
      // January 1, 1970 was a Thursday.
      return days(day - ((day + 3) % 7), 7);
    case 'month': {
      const { year, first } = yearOf(day);
      let start = first;
      for (const length of monthsOf(year)) {
        if (start + length > day) return days(start, length);
        start += length;
      }
      throw new Error('the day is not in its year');
    }
    case 'year': {
      const { year, first } = yearOf(day);
      return days(first, daysOf(year));
    }
  }
}
