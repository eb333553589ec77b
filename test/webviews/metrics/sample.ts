import type { DeploymentOfVersion } from '../../../src/features/endpoints/model/releaseWords.ts';
import type { Distribution, EndpointMetrics, MetricsPoint } from '../../../src/contract/control/controlMetrics.ts';
import type { MetricsState } from '../../../src/features/endpoints/metrics/metricsStore.ts';
import { metricsChart, metricsView } from '../../../src/features/endpoints/metrics/metricsView.ts';
import type { Reading } from '../../../src/features/endpoints/metrics/model/columns.ts';
import { DEFAULT_SELECTION, windowBefore, windowOf } from '../../../src/features/endpoints/metrics/model/window.ts';
import type { MetricsChart, MetricsSelection, MetricsView } from '../../../src/webviews/metrics/messages.ts';

export const NOW = Date.parse('2025-11-21T14:30:05.000Z');
export const TARGET = { connectionId: 'local', endpointId: 'ep1', name: 'hello' } as const;

/** Creates a distribution around a median, in seconds. */
export function distribution(p50: number, count = 10): Distribution {
  return { count, sum: p50 * count, p50, p90: p50 * 1.6, p99: p50 * 2.4, max: p50 * 3 };
}

/** A bucket of an endpoint with work. The load has waves, and a peak in the middle of the period. */
function busyPoint(at: number, share: number): MetricsPoint {
  const wave = 1 + Math.sin(share * 20) / 3;
  const peak = share > 0.55 && share < 0.62 ? 4 : 1;
  const jobs = Math.round(12 * wave);
  return {
    at: new Date(at).toISOString(),
    arrivals: jobs + (peak > 1 ? 8 : 0),
    outcomes: {
      COMPLETED: jobs,
      ...(peak > 1 && { FAILED: 3, TIMED_OUT: 1 }),
    },
    ...(peak > 1 && { retries: 2 }),
    endToEnd: distribution(0.4 * wave * peak, jobs),
    queueDelay: distribution(0.1 * wave * peak, jobs),
    execution: distribution(0.3 * wave, jobs),
    queueDepth: peak > 1 ? 7.5 : 0.5,
    maxQueueDepth: peak > 1 ? 11 : 1,
    workers: { running: 1 + wave, idle: 1, ...(peak > 1 && { initializing: 2 }) },
    logBytes: 2_000,
    spendUsd: 0.0004 * wave,
  };
}

/** Creates a response for a window. The platform did not run in a part of it. */
export function response(
  selection: MetricsSelection,
  now: number,
  { gap = [0.2, 0.3], window = windowOf(selection, now) }: { gap?: [number, number]; window?: Reading['window'] } = {},
): Reading {
  const count = Math.round((window.end - window.start) / window.step);
  const points = Array.from({ length: count }, (_, index) => index / count).flatMap((share, index) =>
    share >= gap[0] && share < gap[1] ? [] : [busyPoint(window.start + index * window.step, share)],
  );
  const at = (share: number) => new Date(window.start + share * (window.end - window.start)).toISOString();
  const metrics: EndpointMetrics = {
    step: window.step / 1_000,
    points,
    total: {
      ...{ arrivals: 4_200, retries: 40, queueDepth: 1.2, logBytes: 720_000, spendUsd: 0.144 },
      outcomes: { COMPLETED: 4_100, FAILED: 75, TIMED_OUT: 25 },
      endToEnd: distribution(0.42, 4_200),
      queueDelay: distribution(0.11, 4_200),
      execution: distribution(0.31, 4_200),
      workers: { running: 2, idle: 1 },
    },
    markers: [
      { at: at(0.4), kind: 'release', release: 2 },
      { at: at(0.56), kind: 'crash', workerId: 'w1' },
      { at: at(0.7), kind: 'release', release: 3 },
    ],
  };
  return { window, metrics, isObserved: false };
}

/** The deployment of release 3. The workspace knows nothing of the others. */
export const deploymentOf: DeploymentOfVersion = (version) =>
  version === 3
    ? { by: 'Ada', commit: '3f2a1c9b7d4e5f60', isDirty: false, environment: 'staging', verification: 'verified' }
    : undefined;

export const IDLE: MetricsState = {
  selection: DEFAULT_SELECTION,
  busy: false,
  facts: { value: { isQueue: true, releases: [3, 2, 1], deploymentOf, createdAt: 0 }, readAt: NOW },
  reading: {},
  compared: {},
  now: NOW,
  jobs: undefined,
  observedSince: undefined,
};

/** An hour of an endpoint with work. */
export const busyHour: Partial<MetricsState> = {
  reading: { value: response(DEFAULT_SELECTION, NOW), readAt: NOW },
};

const BEFORE: MetricsSelection = { period: 'day', duration: 'endToEnd', compare: 'before' };

/** A day that is compared with the day before. */
export const comparedDay: Partial<MetricsState> = {
  selection: BEFORE,
  reading: { value: response(BEFORE, NOW), readAt: NOW },
  compared: { value: slower(response(BEFORE, NOW, { gap: [0, 0.1], window: windowBefore(windowOf(BEFORE, NOW)) })) },
};

/** Returns a response whose jobs took half as long. */
function slower(reading: Reading): Reading {
  const half = ({ endToEnd, ...point }: MetricsPoint): MetricsPoint => ({
    ...point,
    ...(endToEnd && { endToEnd: distribution(endToEnd.p50 / 2, endToEnd.count) }),
  });
  const { metrics } = reading;
  const total = { ...metrics.total, arrivals: 2_000, endToEnd: distribution(0.21, 2_000) };
  return { ...reading, metrics: { ...metrics, points: metrics.points.map(half), total } };
}

const YEAR: MetricsSelection = { period: 'year', duration: 'endToEnd', compare: 'none' };

/** A year of hours. */
export const busyYear: Partial<MetricsState> = {
  selection: YEAR,
  reading: { value: response(YEAR, NOW, { gap: [0, 0.05] }), readAt: NOW },
};

/** Connections of which the local platform is the current one. */
export const LOCAL = connectionsOf({ id: 'local', kind: 'local', name: 'Local Platform' });

interface Known {
  readonly id: string;
  readonly kind: 'local' | 'hosted';
  readonly name: string;
}

export function connectionsOf(profile: Known | undefined, client: unknown = {}) {
  return { profile, client, find: (id: string) => (profile?.id === id ? profile : undefined) };
}

/** What the editor sends to the page for a state. */
export function sentFor(
  change: Partial<MetricsState>,
  connections: Parameters<typeof metricsView>[2] = LOCAL,
): { view: MetricsView; chart: MetricsChart | undefined } {
  const state = { ...IDLE, ...change };
  return { view: metricsView(state, TARGET, connections), chart: metricsChart(state) };
}
