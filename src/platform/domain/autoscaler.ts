import type { Scaling } from '../../contract/endpointSettings.ts';
import type { EndpointRecord } from './endpoint.ts';

/* Decides the number of workers of an endpoint: a pure function of the time and the observed state. */

export interface ScalingSettings {
  readonly scaling: Scaling;
  readonly min: number;
  readonly max: number;
  readonly idleTimeoutMs: number;
  /** Time in ms that a scaled-down worker stays on standby, frozen, for a fast start. 0 disables standby. */
  readonly standbyMs: number;
}

export interface WorkerObservation {
  readonly id: string;
  readonly state: 'throttled' | 'starting' | 'idle' | 'busy' | 'unhealthy' | 'standby';
  /** Start of that state, ms since the epoch. */
  readonly since: number;
  /** The worker stops when it has finished its work. */
  readonly retired?: boolean;
  /** A debugger or a person holds the worker, which therefore stays. */
  readonly held?: boolean;
}

/** The work of an endpoint. It omits waiting work of low priority, which adds no workers. */
export interface Demand {
  /** Start of the wait of each waiting job or request, ms since the epoch, oldest first. */
  readonly waitingSince: readonly number[];
  /** Number of jobs or requests that workers process. */
  readonly running: number;
}

export interface ScalingDecision {
  /** Number of workers to start. */
  readonly start: number;
  /** IDs of workers to resume from standby. */
  readonly resume: readonly string[];
  /** IDs of workers to put on standby. */
  readonly freeze: readonly string[];
  /** IDs of workers to stop. */
  readonly stop: readonly string[];
  /** IDs of busy workers to stop when they have finished. */
  readonly retire: readonly string[];
  /** Time at which the decision may change without another event, ms since the epoch. */
  readonly reconsiderAt?: number | undefined;
}

const AVAILABLE_SOON: ReadonlySet<WorkerObservation['state']> = new Set(['throttled', 'starting', 'idle']);
/** States of workers that are stopped when no work waits. */
const REMOVABLE: ReadonlySet<WorkerObservation['state']> = new Set(['throttled', 'unhealthy']);
/** Order in which workers above the maximum are stopped at once. Busy workers stop when they have finished. */
const REMOVAL_ORDER: readonly WorkerObservation['state'][] = ['unhealthy', 'throttled', 'starting', 'idle'];

/**
 * Time in ms that scaled-down workers stay on standby, by `flashboot`. The hosted service does not publish its times. These times cover
 * the usual breaks of a developer.
 */
export const STANDBY_MS: Readonly<Record<EndpointRecord['flashboot'], number>> = {
  OFF: 0,
  FLASHBOOT: 600_000,
  PRIORITY_FLASHBOOT: 3_600_000,
};

/** Limit for queries of waiting jobs. It is the largest limit that a store accepts. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER;

/** Number of waiting jobs, oldest first, that can influence the decision. Further jobs would only exceed the maximum of workers. */
export function queueHorizon({ scaling, max }: ScalingSettings): number {
  return scaling.type === 'REQUEST_COUNT'
    ? Math.min(Math.max(1, max * scaling.requestCount), MAX_WAITING)
    : Math.min(max + 1, MAX_WAITING);
}

/**
 * Decides which workers to start and stop. The first waiting job starts a worker at once if there is none; later jobs follow the scaler.
 * An unhealthy worker prevents further starts, because the next worker would most likely fail in the same way. Workers on standby do not
 * count as workers. They resume before new workers start.
 */
export function decideScaling(
  settings: ScalingSettings,
  demand: Demand,
  observed: readonly WorkerObservation[],
  now: number,
): ScalingDecision {
  const { min, max, idleTimeoutMs, standbyMs } = settings;
  const workers = observed.filter(({ state }) => state !== 'standby');
  const wanted = Math.max(min, wantedWorkers(settings.scaling, demand, workers, now));
  const target = Math.min(wanted, max);
  const unhealthy = workers.some(({ state }) => state === 'unhealthy');
  const missing = unhealthy ? 0 : Math.max(0, target - workers.length);

  const surplus = workers
    .filter(({ state, held }) => state !== 'busy' && !held)
    .sort(
      (left, right) =>
        REMOVAL_ORDER.indexOf(left.state) - REMOVAL_ORDER.indexOf(right.state) || left.since - right.since,
    )
    .slice(0, Math.max(0, workers.length - max));
  const busy = workers.filter(({ state }) => state === 'busy');
  const retiring = busy.filter(({ retired }) => retired).length;
  // Under constant load, none of them would ever become idle.
  const retire = busy
    .filter(({ retired, held }) => !retired && !held)
    .sort((left, right) => right.since - left.since)
    .slice(0, Math.max(0, workers.length - surplus.length - max - retiring));
  const keep = settings.scaling.type === 'REQUEST_COUNT' ? target : Math.min(max, min);
  const removable = workers
    .filter((worker) => !surplus.includes(worker) && !worker.held)
    .filter(({ state }) => state === 'idle' || (REMOVABLE.has(state) && demand.waitingSince.length === 0))
    .sort((left, right) => left.since - right.since)
    .slice(0, Math.max(0, workers.length - surplus.length - keep));
  const leaving = [
    ...surplus,
    ...removable.filter(({ state, since }) => state === 'throttled' || since + idleTimeoutMs <= now),
  ];

  const freeze = standbyMs > 0 ? leaving.filter(({ state }) => state === 'idle') : [];

  const standby = observed.filter(({ state }) => state === 'standby').sort((left, right) => right.since - left.since);
  const resume = standby.slice(0, missing);
  const expired = standby.filter(({ since }, index) => index >= max || since + standbyMs <= now);
  const stop = [...leaving.filter((worker) => !freeze.includes(worker)), ...expired].filter(
    (worker) => !resume.includes(worker),
  );

  const moments = [
    ...standby
      .filter((worker) => !resume.includes(worker) && !stop.includes(worker))
      .map(({ since }) => since + standbyMs),
    ...removable.filter((worker) => !leaving.includes(worker)).map(({ since }) => since + idleTimeoutMs),
    ...overdueMoments(settings.scaling, demand).filter((moment) => moment > now && workers.length < max),
  ];
  return {
    start: missing - resume.length,
    resume: resume.map(({ id }) => id),
    freeze: freeze.map(({ id }) => id),
    stop: stop.map(({ id }) => id),
    retire: retire.map(({ id }) => id),
    reconsiderAt: earliest(moments),
  };
}

/** Returns the earliest moment. Uses a loop because `Math.min(...moments)` fails on very long arrays. */
function earliest(moments: readonly number[]): number | undefined {
  return moments.reduce<number | undefined>((least, moment) => Math.min(least ?? moment, moment), undefined);
}

function wantedWorkers(scaling: Scaling, demand: Demand, workers: readonly WorkerObservation[], now: number): number {
  if (scaling.type === 'REQUEST_COUNT') {
    return Math.ceil((demand.waitingSince.length + demand.running) / scaling.requestCount);
  }
  if (workers.length === 0) return demand.waitingSince.length > 0 ? 1 : 0;
  // A worker that starts or is idle will take one of the overdue jobs.
  const available = workers.filter(({ state }) => AVAILABLE_SOON.has(state)).length;
  const overdue = overdueMoments(scaling, demand).filter((moment) => moment <= now).length;
  return workers.length + Math.max(0, overdue - available);
}

/** Returns the time at which each waiting job exceeds the scaler's delay, in ms since the epoch. */
function overdueMoments(scaling: Scaling, demand: Demand): number[] {
  if (scaling.type !== 'QUEUE_DELAY') return [];
  return demand.waitingSince.map((since) => since + scaling.queueDelay * 1000);
}
