import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { BillingChart } from '../../../../webviews/billing/messages.ts';
import { countBuckets, MAX_SHOWN_BUCKETS, type AppliedWindow } from './buckets.ts';

/** Returns the part of a chart that the page draws: the last buckets. The service decides how many buckets a window has. */
export function shownPart(chart: BillingChart, window: AppliedWindow): BillingChart {
  const { times, totals, series, running } = chart;
  const left = totals.length - MAX_SHOWN_BUCKETS;
  if (left <= 0) return chart;
  return {
    ...chart,
    times: times.slice(left),
    totals: totals.slice(left),
    series: series.map((one) => ({ ...one, amounts: one.amounts.slice(left) })),
    running: running === undefined || running < left ? undefined : running - left,
    whole: { start: millisecondsOf(window.startTime), buckets: countBuckets(window), exported: totals.length },
  };
}
