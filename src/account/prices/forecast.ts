import type { BillingRecord } from '../../contract/billing.ts';
import { millisecondsOf } from '../../contract/dateTime.ts';
import { sumOf } from './amounts.ts';

/*
 * Forecast of the spend of the current month, in US dollars. Days and months are in UTC, like the buckets of the service.
 *
 * The expected spend is the spend so far, plus the mean of the last complete days for each day that remains. The mean covers at most 14
 * days: two weeks, so that each weekday counts equally, and so that a change of use shows within days. Days before the first spend do not
 * count, because a new account had no use then.
 *
 * The range is the 80 % prediction interval for a sum of independent days with this mean and variance (Student's t). Spend is not undone,
 * so the range begins at the spend so far, unless the mean is negative. With one or two complete days, the variance says nothing, and the
 * range goes from no further spend to twice the mean.
 */

const DAY_MS = 86_400_000;

/** Maximum number of complete days that a forecast is based on. */
export const FORECAST_DAYS = 14;

/** Number of daily buckets that a forecast needs: the longest pair of consecutive months. Query: `bucketSize=day`, `lastN` with this value. */
export const FORECAST_BUCKETS = 62;

/** Minimum number of complete days whose variance is meaningful. */
const MIN_DAYS_FOR_VARIANCE = 3;

/** Quantiles of Student's t-distribution for an interval of 80 %, by degrees of freedom from 2 to 13. */
const STUDENT_T = [1.886, 1.638, 1.533, 1.476, 1.44, 1.415, 1.397, 1.383, 1.372, 1.363, 1.356, 1.35];

/** The complete days that a forecast is based on. */
export interface ForecastBasis {
  /** Number of days, at most 14. 0 if no complete day is known: then the expected spend is the spend so far. */
  readonly days: number;
  /** Mean spend of these days. */
  readonly dailyMean: number;
  /** Interval of these days in ms since the epoch. The end is exclusive, and equal to the start of the current day. */
  readonly start: number;
  readonly end: number;
}

/** Forecast of a month. `low <= expected <= high`. */
export interface MonthForecast {
  /** Interval of the month in ms since the epoch. The end is exclusive. */
  readonly month: { readonly start: number; readonly end: number };
  /** Exact spend from the start of the month until now. */
  readonly spent: number;
  /** Expected spend of the entire month. */
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  readonly basis: ForecastBasis;
}

export interface ForecastInput {
  /** Daily records of this month and the last month, in any order. A missing day counts as a day without spend. */
  readonly records: readonly Pick<BillingRecord, 'startTime' | 'totalAmount'>[];
  /** The time of the service, in ms since the epoch. See `serviceNow`. */
  readonly now: number;
}

/** Forecasts the spend of the month that contains `now`. */
export function forecastMonth({ records, now }: ForecastInput): MonthForecast {
  const month = monthOf(now);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const days = new Map(records.map(({ startTime, totalAmount }) => [millisecondsOf(startTime), totalAmount]));
  const inMonth = [...days].filter(([start]) => start >= month.start && start < month.end);
  const spent = sumOf(inMonth.map(([, amount]) => amount));

  const sample = completeDays(days, today);
  const mean = sample.length === 0 ? 0 : sumOf(sample) / sample.length;
  const remaining = (month.end - now) / DAY_MS;
  const expected = spent + mean * remaining;
  const margin = marginOf(sample, mean, remaining);
  return {
    month,
    spent,
    expected,
    low: Math.max(expected - margin, Math.min(spent, expected)),
    high: expected + margin,
    basis: { days: sample.length, dailyMean: mean, start: today - sample.length * DAY_MS, end: today },
  };
}

function monthOf(now: number): MonthForecast['month'] {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** Returns the spend of the last complete days, beginning with the first day that has spend. */
function completeDays(days: ReadonlyMap<number, number>, today: number): number[] {
  const first = [...days].reduce((least, [start, amount]) => (amount === 0 ? least : Math.min(least, start)), today);
  const start = Math.max(first, today - FORECAST_DAYS * DAY_MS);
  const count = Math.round((today - start) / DAY_MS);
  return Array.from({ length: count }, (_, index) => days.get(start + index * DAY_MS) ?? 0);
}

/** Returns half the width of the range. @param remaining number of days that remain, with a fraction for today */
function marginOf(sample: readonly number[], mean: number, remaining: number): number {
  const count = sample.length;
  if (count < MIN_DAYS_FOR_VARIANCE) return Math.abs(mean * remaining);
  const squares = sample.reduce((sum, amount) => sum + (amount - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (count - 1));
  const quantile = STUDENT_T[count - MIN_DAYS_FOR_VARIANCE] ?? 0;
  // The variance of the remaining days, plus the variance of the mean.
  return quantile * deviation * Math.sqrt(remaining + remaining ** 2 / count);
}

/**
 * Returns the time of the service, in ms since the epoch. The clock of this machine counts only within the bucket that the service calls
 * the current one, so that a wrong clock cannot shift days or months.
 *
 * @param running the last bucket of a response to a query with `lastN`
 * @param localNow time of this machine, in ms since the epoch
 */
export function serviceNow(running: Pick<BillingRecord, 'startTime' | 'endTime'>, localNow: number): number {
  const [start, end] = [millisecondsOf(running.startTime), millisecondsOf(running.endTime)];
  return Math.min(Math.max(localNow, start), end - 1);
}
