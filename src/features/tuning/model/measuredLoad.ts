import {
  MAX_LISTED_JOBS,
  type EndedJob,
  type EndpointMetrics,
  type MetricsPoint,
} from '../../../contract/control/controlMetrics.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import { randomNumbers } from '../../load/model/arrivals.ts';
import { MAX_ARRIVALS, type Arrivals, type TunedLoad } from './tunedLoad.ts';
import { timesOfDistribution, type Times } from './times.ts';

/* The load of an endpoint, from what was measured or seen. All times of the input are ms since the epoch. */

/** Shortest period of a load, so that a single job does not stand for a rate of thousands a day. */
const LEAST_PERIOD_MS = 60_000;
/** Minimum wait of a job that counts as a wait for a new worker, in ms. */
const LEAST_COLD_START_MS = 1_000;

/**
 * Returns the load that a platform measured until now. If it lists all jobs, their times are exact. If not, numbers of arrivals are known for
 * each bucket, and percentiles for durations. Undefined without jobs.
 *
 * @param jobs ended jobs of the same period, at most `MAX_LISTED_JOBS`
 */
export function loadOfMetrics(
  metrics: Pick<EndpointMetrics, 'points' | 'total' | 'step'>,
  jobs: readonly EndedJob[],
  now: number,
): TunedLoad | undefined {
  const exact = jobs.length < MAX_LISTED_JOBS ? ranJobs(jobs) : [];
  const counted = metrics.points.map((point) => ({ at: millisecondsOf(point.at), count: arrivalsOf(point) }));
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const { execution, latency, coldStart } = metrics.total;
  const coldStarts = timesOfDistribution(coldStart);
  if (exact.length > 0 && exact.length >= total * EXACT_SHARE) {
    const executions: Times = { ms: exact.map((job) => job.executionMs), origin: 'jobs', count: exact.length };
    return {
      arrivals: arrivalsAt(
        exact.map((job) => job.createdAt),
        'jobs',
        now,
      ),
      executions,
      coldStarts,
    };
  }
  if (total === 0) return undefined;
  const stepMs = metrics.step * 1_000;
  const times = counted.flatMap(({ at, count }) => spreadOver(at, Math.min(at + stepMs, Math.max(at + 1, now)), count));
  return {
    arrivals: { ...arrivalsAt(times, 'counts', now), stepMs },
    executions: timesOfDistribution(execution ?? latency),
    coldStarts,
  };
}

/** Part of the arrivals that must have ended, so that the listed jobs stand for all of them. Open jobs are not listed. */
const EXACT_SHARE = 0.9;

/** A job that the user ran from this editor. Times are ms since the epoch, and durations are ms. */
export interface OwnJob {
  readonly status: string;
  readonly submittedAt: number;
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
}

/** Reads the jobs of an endpoint that the user ran from this editor. */
export type OwnJobs = (connectionId: string, endpointId: string) => Promise<readonly OwnJob[]>;

/** Returns the load of the jobs that the user ran from this editor. Undefined without completed ones. */
export function loadOfOwnJobs(jobs: readonly OwnJob[], now: number): TunedLoad | undefined {
  const completed = jobs
    .filter(({ status, executionTime }) => status === 'COMPLETED' && executionTime !== undefined)
    .toSorted((one, other) => one.submittedAt - other.submittedAt);
  if (completed.length === 0) return undefined;
  const waits = completed.flatMap(({ delayTime = 0 }) => (delayTime >= LEAST_COLD_START_MS ? [delayTime] : []));
  return {
    arrivals: arrivalsAt(
      completed.map((job) => job.submittedAt),
      'ownJobs',
      now,
    ),
    executions: {
      ms: completed.map(({ executionTime = 0 }) => executionTime),
      origin: 'jobs',
      count: completed.length,
    },
    ...(waits.length > 0 && { coldStarts: { ms: waits, origin: 'waits', count: waits.length } }),
  };
}

interface RanJob {
  readonly createdAt: number;
  readonly executionMs: number;
}

/** Returns the jobs that a worker took, in the order of their submission. */
function ranJobs(jobs: readonly EndedJob[]): readonly RanJob[] {
  return jobs
    .flatMap(({ createdAt, startedAt, finishedAt }) =>
      startedAt === undefined
        ? []
        : [
            {
              createdAt: millisecondsOf(createdAt),
              executionMs: Math.max(0, millisecondsOf(finishedAt) - millisecondsOf(startedAt)),
            },
          ],
    )
    .sort((one, other) => one.createdAt - other.createdAt);
}

/** Returns the arrivals of a bucket. A platform that does not measure tells only the ended jobs. */
function arrivalsOf({ arrivals, outcomes = {} }: MetricsPoint): number {
  return arrivals ?? Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** Returns the newest arrivals, counted from the first one of them. */
function arrivalsAt(times: readonly number[], origin: Arrivals['origin'], now: number): Arrivals {
  const kept = times.slice(-MAX_ARRIVALS);
  const first = kept[0] ?? now;
  const end = Math.max(now, kept.at(-1) ?? now);
  return {
    ms: kept.map((time) => time - first),
    durationMs: Math.max(LEAST_PERIOD_MS, end - first),
    ...{ origin, total: times.length },
  };
}

/** Returns random times in a period, ascending. They are the same each time. */
function spreadOver(start: number, end: number, count: number): number[] {
  const random = randomNumbers(start);
  return Array.from({ length: count }, () => start + random() * (end - start)).sort((one, other) => one - other);
}
