import type { BucketSize } from '../../contract/billing.ts';
import type { BillingRange } from './messages.ts';
import type { Bucket, Spend } from './spend.ts';

/* Formats amounts and times. Times are in UTC, like the bucket boundaries. */

/** Names of the time ranges, in the order of the menu. */
export const RANGES: Readonly<Record<BillingRange, string>> = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  year: 'Last 12 months',
};

const dollars = (minimumFractionDigits: number, maximumFractionDigits: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits, maximumFractionDigits });

const cents = dollars(2, 2);
const exact = dollars(2, 12);

/** Formats an amount with cents, or with three significant digits below one dollar: `$12.35`, `$0.000412`. */
export function amountText(amount: number): string {
  const size = Math.abs(amount);
  if (size === 0 || size >= 1) return cents.format(amount);
  return dollars(2, Math.min(12, 2 - Math.floor(Math.log10(size)))).format(amount);
}

/** Formats an amount with up to 12 digits after the point. */
export function exactAmountText(amount: number): string {
  return exact.format(amount);
}

/** Formats a value of the axis with the number of digits that its step requires. */
export function tickText(value: number, step: number): string {
  const digits = step >= 1 ? 0 : Math.min(12, Math.max(2, -Math.floor(Math.log10(step))));
  return dollars(digits, digits).format(value);
}

const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
const time = utc({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = utc({ month: 'short', day: 'numeric' });
const fullDay = utc({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' });
const month = utc({ month: 'short', year: 'numeric' });
const fullMonth = utc({ month: 'long', year: 'numeric' });

/** Returns the label below a bar. The first hour of a day shows the date. */
export function shortLabel(start: number, size: BucketSize): string {
  switch (size) {
    case 'hour':
      return new Date(start).getUTCHours() === 0 ? day.format(start) : time.format(start);
    case 'day':
    case 'week':
      return day.format(start);
    case 'month':
      return month.format(start);
    case 'year':
      return String(new Date(start).getUTCFullYear());
  }
}

/** Returns the interval of a bucket, marked if it is not over. @param now ms since the epoch */
export function longLabel({ start, end }: Bucket, size: BucketSize, now: number): string {
  return `${interval(start, end, size)}${end > now ? ', so far' : ''}`;
}

function interval(start: number, end: number, size: BucketSize): string {
  switch (size) {
    case 'hour':
      return `${fullDay.format(start)}, ${time.format(start)} to ${time.format(end)} UTC`;
    case 'day':
      return `${fullDay.format(start)} UTC`;
    case 'week':
      return `Week of ${fullDay.format(start)} UTC`;
    case 'month':
      return `${fullMonth.format(start)} UTC`;
    case 'year':
      return `${new Date(start).getUTCFullYear()} UTC`;
  }
}

/** Returns the period of a spend: `Nov 20, 10:00 to Nov 21, 10:00 UTC`, `Nov 1 to Nov 30, 2025 UTC`, `Jan to Dec 2025 UTC`. */
export function windowText({ start, end, bucketSize }: Spend): string {
  // The end is exclusive, so the last day is the one before it.
  const last = end - 1;
  switch (bucketSize) {
    case 'hour':
      return `${day.format(start)}, ${time.format(start)} to ${day.format(end)}, ${time.format(end)} UTC`;
    case 'day':
    case 'week':
      return `${day.format(start)} to ${day.format(last)}, ${new Date(last).getUTCFullYear()} UTC`;
    case 'month':
    case 'year':
      return `${month.format(start)} to ${month.format(last)} UTC`;
  }
}

/** Describes a bucket for screen readers. */
export function spokenBucket(bucket: Bucket, size: BucketSize, now: number): string {
  const when = longLabel(bucket, size, now);
  if (bucket.parts.length === 0) return `${when}: no spend`;
  const parts = bucket.parts.map(({ series, amount }) => `${series.label} ${exactAmountText(amount)}`);
  return `${when}: ${exactAmountText(bucket.total)}. ${parts.join(', ')}`;
}
