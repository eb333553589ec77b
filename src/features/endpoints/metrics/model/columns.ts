import type {
  EndpointMetrics,
  MetricsPoint,
  MetricsSummary as Measured,
} from '../../../../contract/control/controlMetrics.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type {
  ColumnId,
  MetricsChart,
  MetricsColumns,
  MetricsDuration,
  MetricsMarker,
  MetricsSummary,
} from '../../../../webviews/metrics/messages.ts';
import { deploymentWords, type DeploymentOfVersion } from '../../model/releaseWords.ts';
import type { MetricsWindow } from './window.ts';

/* Turns the buckets of a platform into columns, one value per bucket of the window. */

type Reader = (point: Measured) => number | undefined;

/** Returns how to read each column. The values of a distribution are those of one duration. */
function readers(duration: MetricsDuration): Readonly<Record<ColumnId, Reader>> {
  return {
    p50: (point) => point[duration]?.p50,
    p90: (point) => point[duration]?.p90,
    p99: (point) => point[duration]?.p99,
    max: (point) => point[duration]?.max,
    arrivals: ({ arrivals }) => arrivals,
    retries: ({ retries }) => retries,
    COMPLETED: ({ outcomes }) => outcomes?.COMPLETED,
    FAILED: ({ outcomes }) => outcomes?.FAILED,
    CANCELLED: ({ outcomes }) => outcomes?.CANCELLED,
    TIMED_OUT: ({ outcomes }) => outcomes?.TIMED_OUT,
    '2xx': ({ responses }) => responses?.['2xx'],
    '3xx': ({ responses }) => responses?.['3xx'],
    '4xx': ({ responses }) => responses?.['4xx'],
    '5xx': ({ responses }) => responses?.['5xx'],
    refused: ({ responses }) => responses?.refused,
    disconnected: ({ responses }) => responses?.disconnected,
    queueDepth: ({ queueDepth }) => queueDepth,
    maxQueueDepth: ({ maxQueueDepth }) => maxQueueDepth,
    running: ({ workers }) => workers?.running,
    idle: ({ workers }) => workers?.idle,
    initializing: ({ workers }) => workers?.initializing,
    throttled: ({ workers }) => workers?.throttled,
    unhealthy: ({ workers }) => workers?.unhealthy,
    spendUsd: ({ spendUsd }) => spendUsd,
  };
}

/** Kinds of markers that the charts show. */
const MARKERS = ['release', 'crash'] as const;

/** Columns that have no value in a bucket without a job. All others are 0 in a measured bucket. */
const DISTRIBUTION: ReadonlySet<string> = new Set<ColumnId>(['p50', 'p90', 'p99', 'max']);

/** Returns the number of buckets. */
function countOf({ start, end, step }: MetricsWindow): number {
  return Math.round((end - start) / step);
}

interface Buckets {
  readonly columns: MetricsColumns;
  /** Ranges of buckets that were not measured although the endpoint existed. */
  readonly gaps: [number, number][];
}

/**
 * Returns the columns of a window. Omits a column without values.
 *
 * @param omittedIsZero whether an omitted number of a measured bucket is 0. Otherwise, it is not known.
 * @param createdAt time of the creation of the endpoint, in ms since the epoch. Default: before the window.
 */
export function bucketsOf(
  points: readonly MetricsPoint[],
  window: MetricsWindow,
  duration: MetricsDuration,
  omittedIsZero: boolean,
  createdAt = -Infinity,
): Buckets {
  const count = countOf(window);
  const placed: (MetricsPoint | undefined)[] = new Array<MetricsPoint | undefined>(count).fill(undefined);
  for (const point of points) {
    const index = Math.floor((millisecondsOf(point.at) - window.start) / window.step);
    if (index >= 0 && index < count) placed[index] = point;
  }
  const columns: Partial<Record<ColumnId, (number | null)[]>> = {};
  for (const [id, read] of Object.entries(readers(duration)) as [ColumnId, Reader][]) {
    const values = placed.flatMap((point) => (point && read(point)) ?? []);
    if (!values.some((value) => value !== 0 || !omittedIsZero)) continue;
    const absent = omittedIsZero && !DISTRIBUTION.has(id) ? 0 : null;
    columns[id] = placed.map((point) => (point ? (read(point) ?? absent) : null));
  }
  return { columns, gaps: gapsOf(placed, Math.floor((createdAt - window.start) / window.step)) };
}

/** Returns the gaps after the bucket of the creation. The first measurement after the creation can be in the next bucket. */
function gapsOf(placed: readonly (MetricsPoint | undefined)[], created: number): [number, number][] {
  const gaps: [number, number][] = [];
  for (const [index, point] of placed.entries()) {
    if (point || index <= created) continue;
    const last = gaps.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else gaps.push([index, index + 1]);
  }
  return gaps;
}

/** A response for a window. */
export interface Reading {
  readonly window: MetricsWindow;
  readonly metrics: EndpointMetrics;
  /** Whether the numbers are what this editor has seen, and not what the platform has measured. */
  readonly isObserved: boolean;
}

export interface ChartOptions {
  readonly isQueue: boolean;
  readonly duration: MetricsDuration;
  /** Time of the platform, in ms since the epoch. */
  readonly now: number;
  readonly deploymentOf: DeploymentOfVersion;
  /** Time of the creation of the endpoint, in ms since the epoch. Undefined if it is not known. */
  readonly createdAt: number | undefined;
}

/** Returns the charts of a reading, and of one to compare with. */
export function chartOf(
  { window, metrics, isObserved }: Reading,
  compared: Reading | undefined,
  { isQueue, duration, now, deploymentOf, createdAt }: ChartOptions,
): MetricsChart {
  const count = countOf(window);
  const running = Math.floor((now - window.start) / window.step);
  const isRunning = running >= 0 && running < count;
  return {
    ...{ isQueue, duration, count },
    ...{ start: window.start, step: window.step, omittedIsZero: !isObserved },
    ...(isRunning && { running }),
    ...bucketsOf(metrics.points, window, duration, !isObserved, createdAt),
    ...(compared && {
      compared: bucketsOf(compared.metrics.points, compared.window, duration, !compared.isObserved, createdAt),
    }),
    markers: metrics.markers.flatMap((marker): MetricsMarker[] => {
      const { at, release, workerId } = marker;
      const kind = MARKERS.find((one) => one === marker.kind);
      if (kind === undefined) return [];
      const deployment = kind === 'release' && release !== undefined ? deploymentOf(release) : undefined;
      return [
        {
          ...{ at: millisecondsOf(at), kind },
          ...(release !== undefined && { release }),
          ...(workerId !== undefined && { workerId }),
          ...(deployment && { deployment: deploymentWords(deployment) }),
        },
      ];
    }),
  };
}

/** Returns the numbers of the whole period. */
export function summaryOf(
  { metrics: { total, points }, isObserved }: Reading,
  duration: MetricsDuration,
): MetricsSummary {
  const absent = isObserved ? undefined : 0;
  const { outcomes, responses, workers } = total;
  const completed = outcomes?.COMPLETED ?? sumOf([responses?.['2xx'], responses?.['3xx']]) ?? absent;
  const failed = sumOf([outcomes?.FAILED, outcomes?.TIMED_OUT, responses?.['5xx'], responses?.refused]) ?? absent;
  const all = sumOf([workers?.running, workers?.idle, workers?.initializing, workers?.throttled, workers?.unhealthy]);
  const ready = (workers?.running ?? 0) + (workers?.idle ?? 0);
  const known: { [Name in keyof MetricsSummary]: number | undefined } = {
    arrivals: total.arrivals ?? absent,
    completed,
    failed,
    retries: total.retries ?? absent,
    p50: total[duration]?.p50,
    p90: total[duration]?.p90,
    p99: total[duration]?.p99,
    max: total[duration]?.max,
    queueDepth: total.queueDepth ?? absent,
    workers: all ?? absent,
    utilization: ready > 0 ? (workers?.running ?? 0) / ready : undefined,
    logBytes: total.logBytes ?? absent,
    spendUsd: total.spendUsd ?? absent,
  };
  if (points.length === 0) return {};
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** Returns the sum of the known numbers, or undefined if none is known. */
function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}
