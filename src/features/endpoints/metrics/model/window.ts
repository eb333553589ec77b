import type { MetricsDuration, MetricsPeriod, MetricsSelection } from '../../../../webviews/metrics/messages.ts';

/* The selection of the metrics view, and the buckets that it means. */

export const DEFAULT_SELECTION: MetricsSelection = { period: 'hour', duration: 'endToEnd', compare: 'none' };

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Length of each period, its buckets, and the buckets that are also kept for the period before, in seconds. */
const PERIODS: Readonly<
  Record<MetricsPeriod, { readonly seconds: number; readonly step: number; readonly comparedStep: number | undefined }>
> = {
  hour: { seconds: HOUR, step: 10, comparedStep: 60 },
  sixHours: { seconds: 6 * HOUR, step: 60, comparedStep: 60 },
  day: { seconds: DAY, step: 60, comparedStep: 60 },
  week: { seconds: 7 * DAY, step: HOUR, comparedStep: HOUR },
  month: { seconds: 30 * DAY, step: HOUR, comparedStep: HOUR },
  // Hours are kept for a year.
  year: { seconds: 366 * DAY, step: HOUR, comparedStep: undefined },
};

/** Buckets of equal length. Times are ms since the epoch. */
export interface MetricsWindow {
  readonly start: number;
  /** Exclusive end. */
  readonly end: number;
  /** Length of a bucket in ms. */
  readonly step: number;
}

/** Returns whether the period before can still be known. */
export function hasBefore(period: MetricsPeriod): boolean {
  return PERIODS[period].comparedStep !== undefined;
}

/**
 * Returns the buckets of a selection, of which the last one contains `now`.
 *
 * @param leastStep minimum length of a bucket in ms
 */
export function windowOf({ period, compare }: MetricsSelection, now: number, leastStep = 0): MetricsWindow {
  const { seconds, step: own, comparedStep } = PERIODS[period];
  const step = Math.max(leastStep, 1_000 * (compare === 'before' ? (comparedStep ?? own) : own));
  const end = (Math.floor(now / step) + 1) * step;
  return { start: end - seconds * 1_000, end, step };
}

/** Returns as many buckets before a window. */
export function windowBefore({ start, end, step }: MetricsWindow): MetricsWindow {
  return { start: start - (end - start), end: start, step };
}

/** Returns a valid selection for an endpoint and its releases. */
export function validSelection(selection: MetricsSelection, isQueue: boolean): MetricsSelection {
  const fits = durationsOf(isQueue).includes(selection.duration);
  const compare = selection.compare === 'before' && !hasBefore(selection.period) ? 'none' : selection.compare;
  return { ...selection, compare, duration: fits ? selection.duration : (durationsOf(isQueue)[0] ?? 'endToEnd') };
}

/** Returns the durations that an endpoint has. */
export function durationsOf(isQueue: boolean): readonly MetricsDuration[] {
  return isQueue ? ['endToEnd', 'queueDelay', 'execution', 'coldStart'] : ['latency', 'coldStart'];
}
