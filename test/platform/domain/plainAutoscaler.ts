import type { Scaling } from '../../../src/contract/endpointSettings.ts';
import type {
  Demand,
  ScalingDecision,
  ScalingSettings,
  WorkerObservation,
} from '../../../src/platform/domain/autoscaler.ts';

const AVAILABLE_SOON: ReadonlySet<WorkerObservation['state']> = new Set(['throttled', 'starting', 'idle']);
const REMOVABLE: ReadonlySet<WorkerObservation['state']> = new Set(['throttled', 'unhealthy']);
const REMOVAL_ORDER: readonly WorkerObservation['state'][] = ['unhealthy', 'throttled', 'starting', 'idle'];

/** Decides as `decideScaling` does, in plain list operations that allocate much memory. */
export function decidePlainly(
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
    ...freeze.map(() => now + standbyMs),
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
