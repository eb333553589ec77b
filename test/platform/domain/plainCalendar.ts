import type { BucketSize } from '../../../src/contract/billing.ts';

/* The calendar once more, from whole numbers only: neither Date nor a library, so that it can disagree with both. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysOf = (year: number): number => (isLeap(year) ? 366 : 365);
const monthsOf = (year: number): number[] => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A year after 1970, counted up to from there. */
function yearOf(day: number): { year: number; first: number } {
  let [year, first] = [1970, 0];
  while (first + daysOf(year) <= day) first += daysOf(year++);
  return { year, first };
}

/** Start and end of the bucket that a moment since 1970 lies in. */
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
      // The first of 1970 was a Thursday.
      return days(day - ((day + 3) % 7), 7);
    case 'month': {
      const { year, first } = yearOf(day);
      let start = first;
      for (const length of monthsOf(year)) {
        if (start + length > day) return days(start, length);
        start += length;
      }
      throw new Error('no year is that long');
    }
    case 'year': {
      const { year, first } = yearOf(day);
      return days(first, daysOf(year));
    }
  }
}
