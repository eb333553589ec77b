import { millisecondsOf } from '../../../contract/dateTime.ts';
import type { AlertCondition, AlertDuration } from '../../../contract/alerts.ts';
import type { EndpointMetrics } from '../../../contract/control/controlMetrics.ts';

/*
 * The measurements that alerts are about, in one form for platforms that measure and for those that are only observed. A number that a
 * platform does not tell is undefined.
 */

/** Length of the buckets that a platform measures, in ms. */
export const STEP_MS = 10_000;

/** Measurements of a period. Times are ms since the epoch. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
  /** Number of jobs that completed, or of responses without an error of the server. */
  readonly succeeded: number | undefined;
  readonly failed: number | undefined;
  /** 99th percentiles in seconds. A duration is absent if none was measured in the period. Undefined: not measured by the platform. */
  readonly p99: Readonly<Partial<Record<AlertDuration, number>>> | undefined;
  /** Whether jobs or requests waited. */
  readonly waiting: boolean | undefined;
  /** Whether a job or a request went to a worker or ended. */
  readonly progress: boolean | undefined;
  /** Number of workers that ended without being stopped. */
  readonly crashes: number | undefined;
  /** Mean number of workers with work, and of those that failed to start. */
  readonly running: number;
  readonly unhealthy: number;
  readonly spendUsd: number | undefined;
}

/** Returns the measured buckets that ended by a time, oldest first. Times without a bucket were not measured. */
export function bucketsOf({ step, points, markers }: EndpointMetrics, until: number): readonly Bucket[] {
  const stepMs = step * 1_000;
  const crashes = markers.filter(({ kind }) => kind === 'crash').map(({ at }) => millisecondsOf(at));
  return points.flatMap((point): Bucket[] => {
    const start = millisecondsOf(point.at);
    const end = start + stepMs;
    if (end > until) return [];
    const { outcomes = {}, responses = {}, queueDelay, latency, workers } = point;
    const { '5xx': errors = 0, refused = 0, '2xx': ok = 0, '3xx': redirects = 0, '4xx': refusals = 0 } = responses;
    const { COMPLETED: completed = 0, FAILED: failed = 0, TIMED_OUT: timedOut = 0 } = outcomes;
    const p99 = (['endToEnd', 'queueDelay', 'execution', 'coldStart', 'latency'] as const).flatMap((of) => {
      const distribution = point[of];
      return distribution ? [[of, distribution.p99] as const] : [];
    });
    return [
      {
        ...{ start, end },
        succeeded: completed + ok + redirects + refusals,
        failed: failed + timedOut + errors + refused,
        p99: Object.fromEntries(p99),
        waiting: (point.queueDepth ?? 0) > 0,
        // A job that expires in the queue ends, too, but no worker took it.
        progress: (queueDelay?.count ?? 0) + completed + failed + (latency?.count ?? 0) > 0,
        crashes: crashes.filter((at) => at >= start && at < end).length,
        running: workers?.running ?? 0,
        unhealthy: workers?.unhealthy ?? 0,
        spendUsd: point.spendUsd ?? 0,
      },
    ];
  });
}

/** One look at an endpoint of a platform that does not measure. */
export interface Look {
  /** Time in ms since the epoch. */
  readonly at: number;
  /** Counters and the queue. Undefined for load-balanced endpoints. */
  readonly jobs:
    | { readonly completed: number; readonly failed: number; readonly inQueue: number; readonly inProgress: number }
    | undefined;
  readonly running: number;
  readonly unhealthy: number;
  /** Cost of the present workers in USD per hour. Undefined without prices. */
  readonly usdPerHour: number | undefined;
}

/** Maximum time between two checks whose difference is a measurement, in ms. */
export const MAX_DISTANCE_MS = 150_000;

const HOUR_MS = 3_600_000;

/** Returns the measurements between two looks. Undefined if too much time passed, or if the counters were reset. */
export function bucketBetween(before: Look | undefined, look: Look): Bucket | undefined {
  if (!before) return undefined;
  const elapsed = look.at - before.at;
  if (elapsed <= 0 || elapsed > MAX_DISTANCE_MS) return undefined;
  const [completed, failed] = [
    look.jobs && before.jobs && look.jobs.completed - before.jobs.completed,
    look.jobs && before.jobs && look.jobs.failed - before.jobs.failed,
  ];
  if ((completed ?? 0) < 0 || (failed ?? 0) < 0) return undefined;
  const waited = before.jobs && look.jobs && Math.min(before.jobs.inQueue, look.jobs.inQueue) > 0;
  return {
    ...{ start: before.at, end: look.at, succeeded: completed, failed, p99: undefined },
    waiting: waited,
    progress:
      waited === undefined
        ? undefined
        : (completed ?? 0) + (failed ?? 0) > 0 || (look.jobs?.inProgress ?? 0) > (before.jobs?.inProgress ?? 0),
    crashes: undefined,
    ...{ running: look.running, unhealthy: look.unhealthy },
    spendUsd: before.usdPerHour === undefined ? undefined : before.usdPerHour * (elapsed / HOUR_MS),
  };
}

/** Conditions that a platform without measurements cannot tell. */
export function untold(isQueue: boolean): readonly AlertCondition[] {
  return isQueue ? ['p99', 'crashLoop'] : ['failuresInARow', 'p99', 'queueStuck', 'crashLoop'];
}
