import { METRIC_STEPS, MAX_METRIC_POINTS, type MetricsQuery } from '../../contract/control/controlMetrics.ts';
import { millisecondsOf } from '../../contract/dateTime.ts';
import { violation } from '../../contract/violation.ts';
import { refuseViolations } from './refusal.ts';

/* Buckets of metrics. Times are milliseconds since the epoch. */

/** A half-open interval [from, to). */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface MetricLevel {
  readonly stepMs: number;
  /** Time for which buckets are kept and readable. It is longer than promised by a bucket of the next level. */
  readonly keptMs: number;
}

/** The levels of buckets, shortest first. Each bucket of a level consists of whole ones of the level before. */
export const METRIC_LEVELS: readonly MetricLevel[] = METRIC_STEPS.map(({ seconds, keptSeconds }, index) => ({
  stepMs: seconds * 1000,
  keptMs: (keptSeconds + (METRIC_STEPS[index + 1]?.seconds ?? seconds)) * 1000,
}));

export const [FIRST_LEVEL, , LAST_LEVEL] = METRIC_LEVELS as [MetricLevel, MetricLevel, MetricLevel];

/** Time after the end of a bucket until it is rolled up, because late values can still change it. */
export const ROLL_UP_DELAY_MS = 60_000;

/** Number of buckets that a response has by default. */
const DEFAULT_POINTS = 1_500;

/** Returns the start of the bucket that contains a moment. */
export const bucketOf = (stepMs: number, at: number): number => Math.floor(at / stepMs) * stepMs;

/** Returns the level after this one; undefined after the last one. */
export function nextLevel(stepMs: number): MetricLevel | undefined {
  return METRIC_LEVELS[METRIC_LEVELS.findIndex((level) => level.stepMs === stepMs) + 1];
}

/** Yields the parts of an interval that lie in different buckets. */
export function* partsByBucket(stepMs: number, { from, to }: Interval): Generator<Interval> {
  for (let at = from; at < to;) {
    const end = Math.min(bucketOf(stepMs, at) + stepMs, to);
    yield { from: at, to: end };
    at = end;
  }
}

export interface MetricsPeriod extends Interval {
  readonly stepMs: number;
}

/**
 * Returns the period of a query in whole buckets, without those that are no longer kept.
 *
 * @throws Refusal 422 for an empty period
 */
export function metricsPeriod({ start, end, step }: MetricsQuery, now: number): MetricsPeriod {
  const [asked, to] = [millisecondsOf(start), millisecondsOf(end)];
  if (asked >= to) throw refuseViolations([violation(['end'], 'periodReversed', {}, 422)]);
  const { stepMs, keptMs } = levelFor({ from: asked, to }, step, now);
  const from = bucketOf(stepMs, Math.max(asked, now - keptMs));
  return { from, to: Math.max(from, to), stepMs };
}

function levelFor({ from, to }: Interval, step: number | undefined, now: number): MetricLevel {
  const fits = ({ stepMs, keptMs }: MetricLevel, points: number): boolean =>
    (Math.min(to, now) - Math.max(from, now - keptMs)) / stepMs < points;
  const level =
    step === undefined
      ? METRIC_LEVELS.find((one) => from >= now - one.keptMs && fits(one, DEFAULT_POINTS))
      : METRIC_LEVELS.find((one) => one.stepMs >= step * 1000 && fits(one, MAX_METRIC_POINTS));
  return level ?? LAST_LEVEL;
}

/** Merges intervals that overlap or touch, and sorts them. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
