import type { BucketSize } from '../../contract/billing.ts';
import type { BillingChart, BillingForecast, BillingGrouping, BillingPeriod } from './messages.ts';

/* Formats amounts and times. Times are ms since the epoch, and in UTC unless stated otherwise, like the bucket boundaries. */

/** Names of the periods, in the order of the menu. */
export const PERIODS: Readonly<Record<BillingPeriod, string>> = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  thisMonth: 'This month',
  lastMonth: 'Last month',
  year: 'Last 12 months',
  last: 'Number of bars…',
  custom: 'Start and end…',
};

/** Names of the groupings, in the order of the menu. */
export const GROUPINGS: Readonly<Record<BillingGrouping, string>> = {
  kind: 'Resource',
  endpoint: 'Endpoint',
  gpu: 'GPU type',
  volume: 'Network volume',
};

/** What the chart of a grouping covers. */
export const SUBJECTS: Readonly<Record<BillingGrouping, string>> = {
  kind: 'All resources',
  endpoint: 'Serverless endpoints',
  gpu: 'Serverless endpoints',
  volume: 'Network volumes',
};

/** Names of the bucket sizes. */
export const BUCKETS: Readonly<Record<BucketSize, string>> = {
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
  year: 'Years',
};

const dollars = (minimumFractionDigits: number, maximumFractionDigits: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits, maximumFractionDigits });

const cents = dollars(2, 2);
const exact = dollars(2, 12);
const small = Array.from({ length: 13 }, (_, digits) => dollars(2, Math.max(2, digits)));

/** Formats an amount with cents, or with three significant digits below one dollar: `$12.35`, `$0.000412`. */
export function amountText(amount: number): string {
  const size = Math.abs(amount);
  if (size === 0 || size >= 1) return cents.format(amount);
  return (small[Math.min(12, 2 - Math.floor(Math.log10(size)))] ?? exact).format(amount);
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

const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0 });
const smallPercent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** Formats a part of a whole: `12%`, `0.4%`. */
export function shareText(share: number): string {
  return (Math.abs(share) < 0.1 ? smallPercent : percent).format(share);
}

const format = (timeZone: string | undefined, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { ...options, timeZone });
const utc = (options: Intl.DateTimeFormatOptions) => format('UTC', options);
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const time = utc(CLOCK);
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

/** Returns the interval of a bucket, marked if it is not over. */
export function bucketText({ times, bucketSize, running }: BillingChart, index: number): string {
  const [start = 0, end = 0] = [times[index], times[index + 1]];
  return `${interval(start, end, bucketSize)}${index === running ? ', so far' : ''}`;
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

const MOMENT = { month: 'short', day: 'numeric', year: 'numeric', ...CLOCK } as const;
const utcMoment = utc(MOMENT);

/** Returns the window in UTC, with its exclusive end: `Nov 1, 2025, 00:00 to Dec 1, 2025, 00:00 UTC`. */
export function windowText({ times }: Pick<BillingChart, 'times'>): string {
  return `${utcMoment.format(times[0])} to ${utcMoment.format(times.at(-1))} UTC`;
}

/** Returns the window in the time zone of the reader, or undefined where it is UTC. @param timeZone IANA name; default: of this machine */
export function localWindowText({ times }: Pick<BillingChart, 'times'>, timeZone?: string): string | undefined {
  const local = format(timeZone, MOMENT);
  const text = `${local.format(times[0])} to ${local.format(times.at(-1))}`;
  if (`${text} UTC` === windowText({ times })) return undefined;
  return `${text} ${local.resolvedOptions().timeZone}`;
}

/** Describes a bar for screen readers. Without the hidden series. */
export function spokenBar(chart: BillingChart, index: number, hidden: readonly string[]): string {
  const parts = chart.series
    .filter(({ id, amounts }) => !hidden.includes(id) && amounts[index] !== 0)
    .map(({ label, amounts }) => `${label} ${exactAmountText(amounts[index] ?? 0)}`);
  const total = chart.totals[index] ?? 0;
  const when = bucketText(chart, index);
  if (total === 0 && parts.length === 0) return `${when}: no spend`;
  return [`${when}: ${exactAmountText(total)}`, ...(parts.length > 0 ? [parts.join(', ')] : [])].join('. ');
}

/** Describes what a forecast is based on. */
export function basisText({ days, dailyMean }: BillingForecast): string {
  if (days === 0) return 'A forecast needs one complete day of spend.';
  const mean = `${amountText(dailyMean)} a day`;
  return days === 1
    ? `Based on ${mean}, the spend of yesterday.`
    : `Based on ${mean}, the mean of the last ${days} days.`;
}

/** Returns the name of a month: `November 2025`. */
export function monthText(start: number): string {
  return fullMonth.format(start);
}
