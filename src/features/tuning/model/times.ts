import type { Distribution } from '../../../contract/control/controlMetrics.ts';

/* Lists of durations for a simulation, and where they come from. */

/**
 * Where numbers come from.
 *
 * - `jobs`: exact times of ended jobs.
 * - `percentiles`: the percentiles that a platform or a load test measured, between which the times are interpolated.
 * - `waits`: waits of jobs for a new worker, as an approximation of its start.
 * - `file`: a file of the user.
 * - `given`: the user entered it. Nothing was measured.
 */
export type Origin = 'jobs' | 'percentiles' | 'waits' | 'file' | 'given';

/** Durations in ms, at least one. */
export interface Times {
  readonly ms: readonly number[];
  readonly origin: Origin;
  /** Number of measured durations. 0 if nothing was measured. */
  readonly count: number;
}

/** Percentiles of a distribution in ms. */
export type Percentiles = Readonly<Record<'p50' | 'p90' | 'p99' | 'max' | 'mean', number>>;

/** Number of durations that stand for a distribution. */
const SAMPLES = 1_000;

/** Returns durations with the percentiles of a distribution. */
export function timesOfPercentiles(percentiles: Percentiles, count: number): Times {
  const quantile = quantileOf(percentiles);
  const ascending = Array.from({ length: SAMPLES }, (_, index) => quantile((index + 0.5) / SAMPLES));
  return { ms: shuffled(ascending), origin: 'percentiles', count };
}

/** Returns durations with the distribution that a platform measured, in seconds. Undefined without one. */
export function timesOfDistribution(distribution: Distribution | undefined): Times | undefined {
  if (!distribution || distribution.count === 0) return undefined;
  const { count, sum, p50, p90, p99, max } = distribution;
  const [ms50, ms90, ms99, msMax, mean] = [p50, p90, p99, max, sum / count].map((seconds) => seconds * 1_000);
  return timesOfPercentiles(
    { p50: ms50 ?? 0, p90: ms90 ?? 0, p99: ms99 ?? 0, max: msMax ?? 0, mean: mean ?? 0 },
    count,
  );
}

/** Returns one duration that the user entered, in seconds. */
export function givenTime(seconds: number): Times {
  return { ms: [seconds * 1_000], origin: 'given', count: 0 };
}

export function meanOf({ ms }: Times): number {
  return ms.reduce((sum, one) => sum + one, 0) / ms.length;
}

/** Returns a quantile function that is linear between the known percentiles. Its least value gives it the known mean, if one can. */
function quantileOf({ p50, p90, p99, max, mean }: Percentiles): (share: number) => number {
  const upper = (0.4 * (p50 + p90) + 0.09 * (p90 + p99) + 0.01 * (p99 + max)) / 2;
  const least = Math.min(p50, Math.max(0, (mean - upper) * 4 - p50));
  const points = [
    [0, least],
    [0.5, p50],
    [0.9, p90],
    [0.99, p99],
    [1, max],
  ] as const;
  return (share) => {
    const next = Math.max(
      1,
      points.findIndex(([at]) => at >= share),
    );
    const [[from, low], [to, high]] = [points[next - 1] ?? points[0], points[next] ?? points[4]];
    return low + ((high - low) * (share - from)) / (to - from);
  };
}

/** Returns the values in an order without a trend, which is always the same. 617 has no common divisor with the number of samples. */
function shuffled(values: readonly number[]): number[] {
  return values.map((_, index) => values[(index * 617) % values.length] ?? 0);
}
