import type { Scaling } from '../../contract/endpoint.ts';
import type { EndpointRecord } from './endpoint.ts';

/* How many workers an endpoint has: a pure function of now and what is observed (facts, section 4e). */

export interface ScalingSettings {
  readonly scaling: Scaling;
  readonly min: number;
  readonly max: number;
  readonly idleTimeoutMs: number;
  /** How long a worker that was scaled down stands by, frozen, for a fast start; 0 for not at all. */
  readonly standbyMs: number;
}

export interface WorkerObservation {
  readonly id: string;
  readonly state: 'throttled' | 'starting' | 'idle' | 'busy' | 'unhealthy' | 'standby';
  /** When that state began, ms since the epoch. */
  readonly since: number;
  /** It ends when it has finished its work. */
  readonly retired?: boolean;
}

/** What there is to do. Work of low priority that waits is left out: it adds no workers. */
export interface Demand {
  /** Since when each waiting job or request waits, ms since the epoch, oldest first. */
  readonly waitingSince: readonly number[];
  /** Jobs or requests that a worker has. */
  readonly running: number;
}

export interface ScalingDecision {
  /** New workers to start. */
  readonly start: number;
  /** Ids of workers on standby that are needed again. */
  readonly resume: readonly string[];
  /** Ids of workers to put on standby. */
  readonly freeze: readonly string[];
  /** Ids of workers to stop. */
  readonly stop: readonly string[];
  /** Ids of busy workers to end when they have finished. */
  readonly retire: readonly string[];
  /** When the answer may change without anything else happening, ms since the epoch. */
  readonly reconsiderAt?: number | undefined;
}

const COMING: ReadonlySet<WorkerObservation['state']> = new Set(['throttled', 'starting', 'idle']);
/** What is not worth waiting for when nothing waits for it. */
const USELESS: ReadonlySet<WorkerObservation['state']> = new Set(['throttled', 'unhealthy']);
/** What goes at once when there are more workers than the maximum, in this order; busy ones when they have finished. */
const EXPENDABLE: readonly WorkerObservation['state'][] = ['unhealthy', 'throttled', 'starting', 'idle'];

/**
 * How long scaled-down workers stand by (interface document, `flashboot`). The hosted service does not say how long it keeps them; these
 * are times in which one comes back to one's work.
 */
export const STANDBY_MS: Readonly<Record<EndpointRecord['flashboot'], number>> = {
  OFF: 0,
  FLASHBOOT: 600_000,
  PRIORITY_FLASHBOOT: 3_600_000,
};

/** Limit for queries of waiting jobs: the largest a store accepts, and far more than ever wait. */
const MOST_WAITING = Number.MAX_SAFE_INTEGER;

/** How many of the waiting jobs, oldest first, can make a difference: more than that ask for more workers than there may be. */
export function queueHorizon({ scaling, max }: ScalingSettings): number {
  return scaling.type === 'REQUEST_COUNT'
    ? Math.min(Math.max(1, max * scaling.requestCount), MOST_WAITING)
    : Math.min(max + 1, MOST_WAITING);
}

/**
 * Decides on starts and stops. With no worker at all the first waiting job brings one at once; later ones follow the scaler.
 * Nothing is started beside an unhealthy worker: what keeps one from running keeps the next from it too. Workers on standby do not count;
 * they come back before new ones are started.
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
    .filter(({ state }) => state !== 'busy')
    .sort((left, right) => EXPENDABLE.indexOf(left.state) - EXPENDABLE.indexOf(right.state) || left.since - right.since)
    .slice(0, Math.max(0, workers.length - max));
  const busy = workers.filter(({ state }) => state === 'busy');
  const leavesAnyway = busy.filter(({ retired }) => retired).length;
  // Under a load that never ends, none of them would ever be free.
  const retire = busy
    .filter(({ retired }) => !retired)
    .sort((left, right) => right.since - left.since)
    .slice(0, Math.max(0, workers.length - surplus.length - max - leavesAnyway));
  const keep = settings.scaling.type === 'REQUEST_COUNT' ? target : Math.min(max, min);
  const removable = workers
    .filter((worker) => !surplus.includes(worker))
    .filter(({ state }) => state === 'idle' || (USELESS.has(state) && demand.waitingSince.length === 0))
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
  // A worker that is on its way, or free, will take one of the jobs that waited too long.
  const coming = workers.filter(({ state }) => COMING.has(state)).length;
  const overdue = overdueMoments(scaling, demand).filter((moment) => moment <= now).length;
  return workers.length + Math.max(0, overdue - coming);
}

/** When each waiting job will have waited longer than the scaler allows. */
function overdueMoments(scaling: Scaling, demand: Demand): number[] {
  if (scaling.type !== 'QUEUE_DELAY') return [];
  return demand.waitingSince.map((since) => since + scaling.queueDelay * 1000);
}
