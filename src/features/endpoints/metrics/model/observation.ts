import type { EndedJob, EndpointMetrics, MetricsPoint } from '../../../../contract/control/controlMetrics.ts';
import type { EndpointHealth } from '../../../../contract/job.ts';
import type { WorkerSummary } from '../../../../contract/worker.ts';
import type { MetricsWindow } from './window.ts';

/*
 * Observations of an endpoint on a platform that does not measure: its health and its workers while the view is open, and the jobs that the
 * user ran from this editor. A number that was not observed stays unknown.
 */

/** Length of a stored bucket, in ms. */
export const OBSERVED_STEP = 60_000;

/** One look at an endpoint. Only queue endpoints have jobs. Times are ms since the epoch. */
export interface Sample {
  readonly at: number;
  readonly jobs?: Pick<EndpointHealth['jobs'], 'completed' | 'failed' | 'retried' | 'inQueue'> | undefined;
  readonly workers: WorkerSummary;
}

/** Observations of one minute. Numbers of workers and jobs are sums over the samples. */
export interface ObservedBucket {
  readonly at: number;
  readonly samples: number;
  readonly waiting?: number | undefined;
  readonly maxWaiting?: number | undefined;
  readonly running: number;
  readonly idle: number;
  readonly initializing: number;
  readonly throttled: number;
  readonly unhealthy: number;
  /** Jobs that ended, and retries, between two samples. */
  readonly completed?: number | undefined;
  readonly failed?: number | undefined;
  readonly retried?: number | undefined;
}

/** Maximum time between two samples whose difference belongs to the bucket of the later one, in ms. */
const MAX_DISTANCE_MS = OBSERVED_STEP;

/** Adds a sample to the buckets, of which the last one is the newest. @param before the sample before it */
export function withSample(
  buckets: readonly ObservedBucket[],
  sample: Sample,
  before: Sample | undefined,
): readonly ObservedBucket[] {
  const at = Math.floor(sample.at / OBSERVED_STEP) * OBSERVED_STEP;
  const last = buckets.at(-1);
  const current: ObservedBucket = last?.at === at ? last : { at, ...NOTHING };
  const next: ObservedBucket = {
    ...current,
    samples: current.samples + 1,
    running: current.running + sample.workers.running,
    idle: current.idle + sample.workers.idle,
    initializing: current.initializing + sample.workers.initializing,
    throttled: current.throttled + sample.workers.throttled,
    unhealthy: current.unhealthy + sample.workers.unhealthy,
    ...(sample.jobs && {
      waiting: (current.waiting ?? 0) + sample.jobs.inQueue,
      maxWaiting: Math.max(current.maxWaiting ?? 0, sample.jobs.inQueue),
    }),
    ...endedSince(current, sample, before),
  };
  return [...(last?.at === at ? buckets.slice(0, -1) : buckets), next];
}

const NOTHING = { samples: 0, running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 0 } as const;

/** Adds the differences of the counters. Counters that went down were reset, so their difference is unknown. */
function endedSince(
  current: ObservedBucket,
  { at, jobs }: Sample,
  before: Sample | undefined,
): Partial<ObservedBucket> {
  if (!jobs || !before?.jobs || at - before.at > MAX_DISTANCE_MS) return {};
  const [completed, failed, retried] = [
    jobs.completed - before.jobs.completed,
    jobs.failed - before.jobs.failed,
    jobs.retried - before.jobs.retried,
  ];
  if (Math.min(completed, failed, retried) < 0) return {};
  return {
    completed: (current.completed ?? 0) + completed,
    failed: (current.failed ?? 0) + failed,
    retried: (current.retried ?? 0) + retried,
  };
}

/** A job that the user ran from this editor. Times are ms since the epoch, and durations are ms. */
export interface OwnJob {
  readonly id: string;
  readonly status: string;
  readonly submittedAt: number;
  readonly endedAt?: number | undefined;
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
  readonly workerId?: string | undefined;
}

const OUTCOMES = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;

/** Returns the user's jobs that ended in a period, those that took longest first. */
export function ownJobsIn(jobs: readonly OwnJob[], { start, end }: Pick<MetricsWindow, 'start' | 'end'>): EndedJob[] {
  return jobs
    .flatMap((job): (EndedJob & { readonly took: number })[] => {
      const status = OUTCOMES.find((one) => one === job.status);
      const finished = endOf(job);
      if (status === undefined || finished === undefined || finished < start || finished >= end) return [];
      return [
        {
          ...{ id: job.id, status, took: finished - job.submittedAt },
          createdAt: iso(job.submittedAt),
          finishedAt: iso(finished),
          ...(job.workerId !== undefined && { workerId: job.workerId }),
        },
      ];
    })
    .sort((one, other) => other.took - one.took)
    .map(({ took: _, ...job }) => job);
}

/** Returns the end of a job. The times of the platform are more exact than the moment at which this editor saw the end. */
function endOf({ submittedAt, endedAt, delayTime, executionTime }: OwnJob): number | undefined {
  if (endedAt === undefined) return undefined;
  if (delayTime === undefined || executionTime === undefined) return endedAt;
  return Math.min(endedAt, submittedAt + delayTime + executionTime);
}

/** Returns what was seen in a window, in the form of a response. Omitted numbers are unknown. */
export function observedMetrics(
  buckets: readonly ObservedBucket[],
  jobs: readonly OwnJob[],
  window: MetricsWindow,
): EndpointMetrics {
  const seen = buckets.filter(({ at }) => at >= window.start && at < window.end);
  const own = jobs.flatMap((job) => {
    const end = endOf(job);
    return job.status === 'COMPLETED' && end !== undefined && end >= window.start && end < window.end
      ? [{ job, end }]
      : [];
  });
  const placeOf = (time: number) => Math.floor((time - window.start) / window.step);
  const places = new Set([...seen.map(({ at }) => placeOf(at)), ...own.map(({ end }) => placeOf(end))]);
  const points = [...places]
    .sort((one, other) => one - other)
    .map((place): MetricsPoint => ({
      at: iso(window.start + place * window.step),
      ...measuredOf(
        seen.filter(({ at }) => placeOf(at) === place),
        own.filter(({ end }) => placeOf(end) === place).map(({ job }) => job),
      ),
    }));
  return {
    step: window.step / 1_000,
    points,
    total: measuredOf(
      seen,
      own.map(({ job }) => job),
    ),
    markers: [],
  };
}

function measuredOf(seen: readonly ObservedBucket[], jobs: readonly OwnJob[]): Omit<MetricsPoint, 'at'> {
  const samples = sum(seen.map((one) => one.samples));
  const mean = (name: 'running' | 'idle' | 'initializing' | 'throttled' | 'unhealthy') =>
    sum(seen.map((one) => one[name])) / samples;
  const withJobs = seen.filter(({ waiting }) => waiting !== undefined);
  const ended = seen.filter(({ completed }) => completed !== undefined);
  const of = (read: (job: OwnJob) => number | undefined) => distributionOf(jobs.flatMap((job) => read(job) ?? []));
  const distributions = {
    queueDelay: of(({ delayTime }) => delayTime),
    execution: of(({ executionTime }) => executionTime),
    endToEnd: of((job) => (endOf(job) ?? job.submittedAt) - job.submittedAt),
  };
  return {
    ...(samples > 0 && {
      workers: {
        running: mean('running'),
        idle: mean('idle'),
        initializing: mean('initializing'),
        throttled: mean('throttled'),
        unhealthy: mean('unhealthy'),
      },
    }),
    ...(withJobs.length > 0 && {
      queueDepth: sum(withJobs.map(({ waiting = 0 }) => waiting)) / sum(withJobs.map((one) => one.samples)),
      maxQueueDepth: Math.max(...withJobs.map(({ maxWaiting = 0 }) => maxWaiting)),
    }),
    ...(ended.length > 0 && {
      outcomes: {
        COMPLETED: sum(ended.map(({ completed = 0 }) => completed)),
        FAILED: sum(ended.map(({ failed = 0 }) => failed)),
      },
      retries: sum(ended.map(({ retried = 0 }) => retried)),
    }),
    ...Object.fromEntries(Object.entries(distributions).filter(([, one]) => one !== undefined)),
  };
}

/** Returns the exact distribution of durations in ms. Undefined without durations. */
function distributionOf(durations: readonly number[]): MetricsPoint['endToEnd'] {
  if (durations.length === 0) return undefined;
  const sorted = durations.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0) / 1_000;
  return {
    count: sorted.length,
    sum: sum(sorted) / 1_000,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: at(1),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
