import * as l10n from '@vscode/l10n';
import type { BucketSize } from '../../contract/billing.ts';
import { amountText, countText, exactAmountText, shareText } from '../charts/numbers.ts';
import { language } from '../language/language.ts';
import type { BillingChange, BillingChart, BillingForecast, BillingGrouping, BillingPeriod } from './messages.ts';

/* Formats times and spend. Times are ms since the epoch, and in UTC unless stated otherwise, like the bucket boundaries. */

/** Names of the periods, in the order of the menu. */
export const PERIODS: Readonly<Record<BillingPeriod, string>> = {
  day: l10n.t('Last 24 hours'),
  week: l10n.t('Last 7 days'),
  month: l10n.t('Last 30 days'),
  thisMonth: l10n.t('This month'),
  lastMonth: l10n.t('Last month'),
  year: l10n.t('Last 12 months'),
  last: l10n.t('Number of bars…'),
  custom: l10n.t('Start and end…'),
};

/** Names of the groupings, in the order of the menu. */
export const GROUPINGS: Readonly<Record<BillingGrouping, string>> = {
  kind: l10n.t('Resource'),
  endpoint: l10n.t('Endpoint'),
  gpu: l10n.t('GPU type'),
  volume: l10n.t('Network volume'),
};

/** What the chart of a grouping covers. */
export const SUBJECTS: Readonly<Record<BillingGrouping, string>> = {
  kind: l10n.t('All resources'),
  endpoint: l10n.t('Serverless endpoints'),
  gpu: l10n.t('Serverless endpoints'),
  volume: l10n.t('Network volumes'),
};

/** Names of the bucket sizes. */
export const BUCKETS: Readonly<Record<BucketSize, string>> = {
  hour: l10n.t('Hours'),
  day: l10n.t('Days'),
  week: l10n.t('Weeks'),
  month: l10n.t('Months'),
  year: l10n.t('Years'),
};

const format = (timeZone: string | undefined, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language, { ...options, timeZone });
const utc = (options: Intl.DateTimeFormatOptions) => format('UTC', options);
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const time = utc(CLOCK);
const day = utc({ month: 'short', day: 'numeric' });
const fullDay = utc({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' });
const month = utc({ month: 'short', year: 'numeric' });
const fullMonth = utc({ month: 'long', year: 'numeric' });
const year = utc({ year: 'numeric' });

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
      return year.format(start);
  }
}

const DAY_MS = 86_400_000;

/** Returns the bucket size whose labels tell labels at this distance apart. @param distance in ms */
export function labelSize(size: BucketSize, distance: number): BucketSize {
  if (size === 'hour' && distance >= DAY_MS) return labelSize('day', distance);
  return (size === 'day' || size === 'week') && distance >= 180 * DAY_MS ? 'month' : size;
}

/** Returns the interval of a bucket, marked if it is unfinished. */
export function bucketText({ times, bucketSize, running }: BillingChart, index: number): string {
  const [start = 0, end = 0] = [times[index], times[index + 1]];
  const text = interval(start, end, bucketSize);
  return index === running ? l10n.t`${text}, so far` : text;
}

function interval(start: number, end: number, size: BucketSize): string {
  switch (size) {
    case 'hour':
      return l10n.t`${fullDay.format(start)}, ${time.format(start)} to ${time.format(end)} UTC`;
    case 'day':
      return l10n.t`${fullDay.format(start)} UTC`;
    case 'week':
      return l10n.t`Week of ${fullDay.format(start)} UTC`;
    case 'month':
      return l10n.t`${fullMonth.format(start)} UTC`;
    case 'year':
      return l10n.t`${year.format(start)} UTC`;
  }
}

const MOMENT = { month: 'short', day: 'numeric', year: 'numeric', ...CLOCK } as const;
const utcMoment = utc(MOMENT);

/** Returns the window in UTC, with its exclusive end: `Nov 1, 2025, 00:00 to Dec 1, 2025, 00:00 UTC`. */
export function windowText(chart: ChartWindow): string {
  return windowIn(utcMoment, edgesOf(chart), 'UTC');
}

/** Returns the window in the time zone of the reader, or undefined where it is UTC. @param timeZone IANA name; default: of this machine */
export function localWindowText(chart: ChartWindow, timeZone?: string): string | undefined {
  const local = format(timeZone, MOMENT);
  const edges = edgesOf(chart);
  const isUtc = edges.every((moment) => local.format(moment) === utcMoment.format(moment));
  return isUtc ? undefined : windowIn(local, edges, local.resolvedOptions().timeZone);
}

type ChartWindow = Pick<BillingChart, 'times' | 'whole'>;

/** Returns the start and the end of the whole window. */
function edgesOf({ times, whole }: ChartWindow) {
  return [whole?.start ?? times[0], times.at(-1)] as const;
}

function windowIn(moment: Intl.DateTimeFormat, [start, end]: ReturnType<typeof edgesOf>, timeZone: string): string {
  return l10n.t`${moment.format(start)} to ${moment.format(end)} ${timeZone}`;
}

/** Says that the page has only the last bars of the window. Undefined if it has all of them. */
export function cutText({ whole, totals }: BillingChart): string | undefined {
  if (!whole) return undefined;
  const [shown, all, exported] = [countText(totals.length), countText(whole.buckets), countText(whole.exported)];
  return whole.exported === whole.buckets
    ? l10n.t`The chart and the table have the last ${shown} of ${all} bars. Exports as CSV and JSON have all of them.`
    : l10n.t`The chart and the table have the last ${shown} of ${all} bars. Exports as CSV and JSON have the last ${exported}.`;
}

/** Returns the window of a picture, which has only the drawn bars. */
export function pictureWindowText(chart: BillingChart): string {
  const { whole, totals } = chart;
  const window = windowText(chart);
  return whole ? l10n.t`${window}, last ${countText(totals.length)} of ${countText(whole.buckets)} bars` : window;
}

/** Formats the number of records of a report: `30 records`. */
export function recordsText(count: number): string {
  return count === 1 ? l10n.t('1 record') : l10n.t`${countText(count)} records`;
}

/** Describes a bar for screen readers. Without the hidden series. */
export function spokenBar(chart: BillingChart, index: number, hidden: readonly string[]): string {
  const parts = chart.series
    .filter(({ id, amounts }) => !hidden.includes(id) && amounts[index] !== 0)
    .map(({ label, amounts }) => l10n.t`${label} ${exactAmountText(amounts[index] ?? 0)}`)
    .join(l10n.t(', '));
  const total = chart.totals[index] ?? 0;
  const when = bucketText(chart, index);
  if (parts !== '') return l10n.t`${when}: ${exactAmountText(total)}. ${parts}`;
  return total === 0 ? l10n.t`${when}: no spend` : l10n.t`${when}: ${exactAmountText(total)}`;
}

/** Describes what a forecast is based on. */
export function basisText({ days, dailyMean }: BillingForecast): string {
  if (days === 0) return l10n.t('A forecast needs one complete day of spend.');
  const mean = amountText(dailyMean);
  return days === 1
    ? l10n.t`Based on ${mean} a day, yesterday’s spend.`
    : l10n.t`Based on ${mean} a day, the mean of the last ${days} days.`;
}

/** Returns the name of a month: `November 2025`. */
export function monthText(start: number): string {
  return fullMonth.format(start);
}

/** Compares the spend of finished buckets with as many buckets before: `12% more than in the 29 days before`. */
export function changeText({ current, previous, buckets }: BillingChange, size: BucketSize): string {
  const before = beforeText(buckets, size);
  if (previous === 0 && current === 0) return l10n.t`No spend in ${before} either.`;
  if (previous === current) return l10n.t`The same as in ${before}.`;
  const difference = Math.abs(current - previous);
  const amount = previous > 0 && difference / previous < 10 ? shareText(difference / previous) : amountText(difference);
  return current > previous ? l10n.t`${amount} more than in ${before}` : l10n.t`${amount} less than in ${before}`;
}

function beforeText(buckets: number, size: BucketSize): string {
  const isOne = buckets === 1;
  const count = countText(buckets);
  switch (size) {
    case 'hour':
      return isOne ? l10n.t('the hour before') : l10n.t`the ${count} hours before`;
    case 'day':
      return isOne ? l10n.t('the day before') : l10n.t`the ${count} days before`;
    case 'week':
      return isOne ? l10n.t('the week before') : l10n.t`the ${count} weeks before`;
    case 'month':
      return isOne ? l10n.t('the month before') : l10n.t`the ${count} months before`;
    case 'year':
      return isOne ? l10n.t('the year before') : l10n.t`the ${count} years before`;
  }
}

/** Explains that a change leaves out the unfinished bucket. */
export function comparedText(buckets: number, size: BucketSize): string {
  const isOne = buckets === 1;
  const count = countText(buckets);
  switch (size) {
    case 'hour':
      return isOne ? l10n.t('Compares only the completed hour.') : l10n.t`Compares only the ${count} completed hours.`;
    case 'day':
      return isOne ? l10n.t('Compares only the completed day.') : l10n.t`Compares only the ${count} completed days.`;
    case 'week':
      return isOne ? l10n.t('Compares only the completed week.') : l10n.t`Compares only the ${count} completed weeks.`;
    case 'month':
      return isOne
        ? l10n.t('Compares only the completed month.')
        : l10n.t`Compares only the ${count} completed months.`;
    case 'year':
      return isOne ? l10n.t('Compares only the completed year.') : l10n.t`Compares only the ${count} completed years.`;
  }
}
