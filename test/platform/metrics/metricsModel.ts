import assert from 'node:assert/strict';
import {
  METRIC_OUTCOMES,
  QUANTILE_ERROR,
  type Distribution,
  type EndpointMetrics,
  type MetricsSummary,
} from '../../../src/contract/control/controlMetrics.ts';
import type { JobChange } from '../../../src/platform/domain/measured.ts';
import { bucketOf, METRIC_LEVELS, type Interval } from '../../../src/platform/domain/metricBuckets.ts';

/* A brute-force computation of metrics, which keeps every change of every job and worker. */

type Durations = 'queueDelay' | 'execution' | 'endToEnd';

interface Level {
  readonly at: number;
  readonly value: number;
}

/** A value over time that changes in steps. */
class StepFunction {
  readonly #levels: Level[] = [{ at: -Infinity, value: 0 }];

  get value(): number {
    return this.#levels.at(-1)?.value ?? 0;
  }

  set(at: number, value: number): void {
    this.#levels.push({ at, value });
  }

  /** Returns the integral over the parts of an interval that lie in `runs`. */
  integral(of: Interval, runs: readonly Interval[]): number {
    let sum = 0;
    for (const [index, { at, value }] of this.#levels.entries()) {
      const until = this.#levels[index + 1]?.at ?? Infinity;
      for (const run of runs)
        sum += value * Math.max(0, Math.min(until, of.to, run.to) - Math.max(at, of.from, run.from));
    }
    return sum;
  }

  /** Returns the largest value, which can have lasted for no time. */
  max({ from, to }: Interval, runs: readonly Interval[]): number {
    let max = 0;
    for (const [index, { at, value }] of this.#levels.entries()) {
      const until = this.#levels[index + 1]?.at ?? Infinity;
      const isNew = value > 0 && at >= from && at < to;
      if (isNew || runs.some((run) => Math.min(until, to, run.to) > Math.max(at, from, run.from)))
        max = Math.max(max, value);
    }
    return max;
  }
}

export class MetricsModel {
  readonly #events: { readonly at: number; readonly kind: string }[] = [];
  readonly #durations: { readonly at: number; readonly name: Durations; readonly ms: number }[] = [];
  readonly depth = new StepFunction();
  readonly idleWorkers = new StepFunction();
  /** The times in which the platform ran. */
  readonly runs: { from: number; to: number }[] = [];

  /** Extends the current time in which the platform runs. */
  runUntil(now: number): void {
    const run = this.runs.at(-1);
    if (run) run.to = now;
  }

  /** Adds the changes of a transaction. */
  changed(changes: readonly JobChange[], now: number): void {
    const growth = changes.reduce(
      (sum, { before, after }) => sum + Number(after.status === 'IN_QUEUE') - Number(before?.status === 'IN_QUEUE'),
      0,
    );
    if (growth !== 0) this.depth.set(now, this.depth.value + growth);
    for (const change of changes) this.#add(change, now);
  }

  #add({ before, after }: JobChange, now: number): void {
    const { createdAt, queuedAt, startedAt = NaN, finishedAt = NaN, status } = after;
    if (!before) this.#events.push({ at: createdAt, kind: 'arrival' });
    else if (status === 'IN_QUEUE') this.#events.push({ at: now, kind: 'retry' });
    else if (status === 'IN_PROGRESS')
      this.#durations.push({ at: startedAt, name: 'queueDelay', ms: startedAt - queuedAt });
    else {
      this.#events.push({ at: finishedAt, kind: status });
      this.#durations.push({ at: finishedAt, name: 'endToEnd', ms: finishedAt - createdAt });
      if (after.startedAt !== undefined)
        this.#durations.push({ at: finishedAt, name: 'execution', ms: finishedAt - startedAt });
    }
  }

  /** Compares metrics with those of the model. */
  check(metrics: EndpointMetrics, asked: Interval, now: number): void {
    const stepMs = metrics.step * 1000;
    const kept = METRIC_LEVELS.find((level) => level.stepMs === stepMs)?.keptMs ?? NaN;
    const from = bucketOf(stepMs, Math.max(asked.from, now - kept));
    const points = new Map(metrics.points.map((point) => [Date.parse(point.at), point]));
    let end = from;
    for (let at = from; at < asked.to; at = end) {
      end = at + stepMs;
      const bucket = { from: at, to: end };
      const point = points.get(at);
      const isEmpty = this.#covered(bucket) === 0 && !this.#hasEvents(bucket);
      assert.equal(point === undefined, isEmpty, `the bucket at ${new Date(at).toISOString()}`);
      if (point) this.#checkSummary(point, bucket);
      points.delete(at);
    }
    assert.equal(points.size, 0, 'buckets outside the period');
    this.#checkSummary(metrics.total, { from, to: end });
  }

  #covered({ from, to }: Interval): number {
    return this.runs.reduce((sum, run) => sum + Math.max(0, Math.min(run.to, to) - Math.max(run.from, from)), 0);
  }

  #hasEvents({ from, to }: Interval): boolean {
    const isIn = ({ at }: { readonly at: number }): boolean => at >= from && at < to;
    return this.#events.some(isIn) || this.#durations.some(isIn) || this.depth.max({ from, to }, this.runs) > 0;
  }

  #checkSummary(summary: MetricsSummary, bucket: Interval): void {
    const { from, to } = bucket;
    const count = (kind: string): number =>
      this.#events.filter((event) => event.kind === kind && event.at >= from && event.at < to).length;
    assert.equal(summary.arrivals ?? 0, count('arrival'));
    assert.equal(summary.retries ?? 0, count('retry'));
    for (const outcome of METRIC_OUTCOMES) assert.equal(summary.outcomes?.[outcome] ?? 0, count(outcome), outcome);
    for (const name of ['queueDelay', 'execution', 'endToEnd'] as const) {
      const ms = this.#durations
        .filter((one) => one.name === name && one.at >= from && one.at < to)
        .map((one) => one.ms);
      checkDistribution(summary[name], ms);
    }
    assert.equal(summary.maxQueueDepth ?? 0, this.depth.max(bucket, this.runs));
    const covered = this.#covered(bucket);
    const mean = (values: StepFunction): number => (covered === 0 ? 0 : values.integral(bucket, this.runs) / covered);
    assertClose(summary.queueDepth ?? 0, mean(this.depth));
    assertClose(summary.workers?.idle ?? 0, mean(this.idleWorkers));
  }
}

function checkDistribution(found: Distribution | undefined, ms: readonly number[]): void {
  assert.equal(found?.count ?? 0, ms.length);
  if (!found) return;
  const sorted = ms.toSorted((one, other) => one - other);
  assert.equal(found.max, (sorted.at(-1) ?? NaN) / 1000);
  assert.equal(found.sum, ms.reduce((sum, one) => sum + one, 0) / 1000);
  for (const [name, quantile] of [
    ['p50', 0.5],
    ['p90', 0.9],
    ['p99', 0.99],
  ] as const) {
    const exact = (sorted[Math.floor(quantile * (sorted.length - 1))] ?? NaN) / 1000;
    assert.ok(Math.abs(found[name] - exact) <= exact * (QUANTILE_ERROR + 1e-9), `${name}: ${found[name]} for ${exact}`);
  }
}

function assertClose(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) <= 1e-9 * Math.max(1, expected), `${found} instead of ${expected}`);
}
