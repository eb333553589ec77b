import {
  METRIC_OUTCOMES,
  RESPONSE_CLASSES,
  type Distribution,
  type EndpointMetrics,
  type MetricsMarker,
  type MetricsPoint,
  type MetricsSummary,
} from '../../contract/control/controlMetrics.ts';
import type { DurationSketch } from './durationSketch.ts';
import { DURATIONS, Measured, WORKER_STATES } from './measured.ts';
import { bucketOf, partsByBucket, union, type Interval } from './metricBuckets.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Metrics in the form of a response. */

/** Measurements of one bucket, which can be shorter than those of the response. */
export interface MeasuredBucket {
  readonly start: number;
  readonly measured: Measured;
}

/** Adds up the measurements of a period, in parts, because a year has thousands of buckets. */
export class MetricsAnswer {
  readonly #stepMs: number;
  readonly #coverage: Coverage;
  readonly #points: MetricsPoint[] = [];
  readonly #total = new Measured();
  #totalMs = 0;

  /** @param runs the times in which the platform ran */
  constructor(stepMs: number, runs: readonly Interval[]) {
    this.#stepMs = stepMs;
    this.#coverage = new Coverage(runs);
  }

  /**
   * Adds a part of the period. It consists of whole buckets of the response, and follows on the part before.
   *
   * @param buckets measurements of the part. They are changed while they are added up.
   */
  add(part: Interval, buckets: Iterable<MeasuredBucket>): void {
    const byStart = new Map<number, Measured>();
    for (const { start, measured } of buckets) {
      const at = bucketOf(this.#stepMs, start);
      const sum = byStart.get(at);
      if (sum) sum.merge(measured);
      else byStart.set(at, measured);
    }
    for (const { from, to } of partsByBucket(this.#stepMs, part)) {
      const coveredMs = this.#coverage.next({ from, to });
      const measured = byStart.get(from);
      if (!measured && coveredMs === 0) continue;
      this.#totalMs += coveredMs;
      if (measured) this.#total.merge(measured);
      this.#points.push({ at: dateTime(from), ...(measured && summaryOf(measured, coveredMs)) });
    }
  }

  /** @param markers oldest first */
  result(markers: MetricsMarker[]): EndpointMetrics {
    return {
      ...{ step: this.#stepMs / 1000, points: this.#points },
      ...{ total: summaryOf(this.#total, this.#totalMs), markers },
    };
  }
}

/** Computes how long the platform ran in buckets, which are asked for in order. */
class Coverage {
  readonly #runs: readonly Interval[];
  #next = 0;

  constructor(runs: readonly Interval[]) {
    this.#runs = union(runs);
  }

  next({ from, to }: Interval): number {
    let covered = 0;
    for (; ; this.#next++) {
      const run = this.#runs[this.#next];
      if (!run || run.from >= to) return covered;
      covered += Math.max(0, Math.min(run.to, to) - Math.max(run.from, from));
      if (run.to > to) return covered;
    }
  }
}

/** @param coveredMs time in which the platform ran */
function summaryOf(measured: Measured, coveredMs: number): MetricsSummary {
  const summary: MetricsSummary = {};
  const { arrivals, retries, logBytes, maxDepth: maxQueueDepth, spendNanoUsd } = measured;
  Object.assign(summary, withoutZeros({ arrivals, retries, logBytes, maxQueueDepth, spendUsd: spendNanoUsd / 1e9 }));
  const outcomes = withoutZeros(named(METRIC_OUTCOMES, measured.outcomes));
  if (outcomes) summary.outcomes = outcomes;
  const responses = withoutZeros(named(RESPONSE_CLASSES, measured.responses));
  if (responses) summary.responses = responses;
  for (const name of DURATIONS) {
    const sketch = measured.duration(name);
    if (sketch) summary[name] = distributionOf(sketch);
  }
  if (coveredMs === 0) return summary;
  if (measured.depthMs > 0) summary.queueDepth = measured.depthMs / coveredMs;
  const workers = withoutZeros(
    named(
      WORKER_STATES,
      measured.workerMs.map((ms) => ms / coveredMs),
    ),
  );
  if (workers) summary.workers = workers;
  return summary;
}

function distributionOf(sketch: DurationSketch): Distribution {
  const quantile = (at: number): number => sketch.quantile(at) / 1000;
  return {
    ...{ count: sketch.count, sum: sketch.sum / 1000 },
    ...{ p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: sketch.max / 1000 },
  };
}

function named<Name extends string>(names: readonly Name[], values: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0])) as Record<Name, number>;
}

function withoutZeros<Name extends string>(
  values: Readonly<Record<Name, number>>,
): Partial<Record<Name, number>> | undefined {
  const entries = Object.entries(values).filter(([, value]) => value !== 0);
  return entries.length > 0 ? (Object.fromEntries(entries) as Partial<Record<Name, number>>) : undefined;
}
