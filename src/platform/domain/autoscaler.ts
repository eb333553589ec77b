import type { Scaling } from '../../contract/endpointSettings.ts';
import type { EndpointRecord } from './endpoint.ts';

/* Decides the number of workers of an endpoint: a function of the time and the observed state. */

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

/** The work of an endpoint, as far as it influences the decision. */
export interface CountedDemand {
  /** Number of waiting jobs or requests. */
  readonly waiting: number;
  /** Number of those that have waited longer than the delay of the scaler. 0 for a scaler without a delay. */
  readonly overdue: number;
  /** Time at which the next one exceeds the delay, ms since the epoch. Infinity if there is none. */
  readonly nextOverdueAt: number;
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

/** Decides which workers to start and stop. See `Autoscaler`. */
export function decideScaling(
  settings: ScalingSettings,
  demand: Demand,
  observed: readonly WorkerObservation[],
  now: number,
): ScalingDecision {
  const decision = new Autoscaler().decide(settings, countDemand(settings, demand, now), observed, now);
  const idsOf = (workers: readonly WorkerObservation[]): string[] => workers.map(({ id }) => id);
  return {
    start: decision.start,
    resume: idsOf(decision.resume),
    freeze: idsOf(decision.freeze),
    stop: idsOf(decision.stop),
    retire: idsOf(decision.retire),
    reconsiderAt: decision.reconsiderAt === Infinity ? undefined : decision.reconsiderAt,
  };
}

function countDemand({ scaling }: ScalingSettings, { waitingSince, running }: Demand, now: number): CountedDemand {
  let overdue = 0;
  let nextOverdueAt = Infinity;
  if (scaling.type === 'QUEUE_DELAY')
    for (const since of waitingSince) {
      const moment = overdueAt(since, scaling.queueDelay);
      if (moment <= now) overdue++;
      else nextOverdueAt = Math.min(nextOverdueAt, moment);
    }
  return { waiting: waitingSince.length, overdue, nextOverdueAt, running };
}

/** Returns the time at which a waiting job exceeds the delay of the scaler. @param queueDelay in seconds */
export const overdueAt = (since: number, queueDelay: number): number => since + queueDelay * 1000;

/**
 * Returns the number of workers that are not on standby that the endpoint should have, at most its maximum.
 *
 * @param count number of workers that are not on standby
 * @param available number of those that will take an overdue job, because they start or are idle
 */
export function targetWorkers(
  { scaling, min, max }: ScalingSettings,
  { waiting, overdue, running }: CountedDemand,
  count: number,
  available: number,
): number {
  let wanted: number;
  if (scaling.type === 'REQUEST_COUNT') wanted = Math.ceil((waiting + running) / scaling.requestCount);
  else if (count === 0) wanted = waiting > 0 ? 1 : 0;
  else wanted = count + Math.max(0, overdue - available);
  return Math.min(Math.max(min, wanted), max);
}

/** Returns the number of workers that idle workers are not stopped below. @param target see `targetWorkers` */
export function keptWorkers({ scaling, min, max }: ScalingSettings, target: number): number {
  return scaling.type === 'REQUEST_COUNT' ? target : Math.min(max, min);
}

/**
 * Decides which workers to start and stop. The first waiting job starts a worker at once if there is none; later jobs follow the scaler.
 * An unhealthy worker prevents further starts, because the next worker would most likely fail in the same way. Workers on standby do not
 * count as workers. They resume before new workers start.
 *
 * The properties are the last decision. The simulation makes millions of decisions with one object, so that they allocate no memory.
 */
export class Autoscaler<Worker extends WorkerObservation> {
  /** Number of workers to start. */
  start = 0;
  /** Workers to resume from standby. */
  readonly resume: Worker[] = [];
  /** Workers to put on standby. */
  readonly freeze: Worker[] = [];
  readonly stop: Worker[] = [];
  /** Busy workers to stop when they have finished. */
  readonly retire: Worker[] = [];
  /** Time at which the decision may change without another event, ms since the epoch. Infinity if there is none. */
  reconsiderAt = Infinity;
  readonly #standby: Worker[] = [];
  readonly #removable: Worker[] = [];

  decide(settings: ScalingSettings, demand: CountedDemand, observed: readonly Worker[], now: number): this {
    const { max } = settings;
    for (const list of [this.resume, this.freeze, this.stop, this.retire, this.#standby]) clear(list);
    let count = 0;
    let available = 0;
    let isUnhealthy = false;
    for (const worker of observed) {
      const { state } = worker;
      if (state === 'standby') {
        this.#standby.push(worker);
        continue;
      }
      count++;
      if (state === 'unhealthy') isUnhealthy = true;
      else if (state !== 'busy') available++;
    }
    const target = targetWorkers(settings, demand, count, available);
    const missing = isUnhealthy ? 0 : Math.max(0, target - count);
    this.reconsiderAt = count < max ? demand.nextOverdueAt : Infinity;
    const left = count > max ? count - this.#leaveAbove(settings, observed, count - max, now) : count;
    const removed = left - keptWorkers(settings, target);
    if (removed > 0) this.#leaveIdle(settings, { observed, removed, mayBeThrottled: demand.waiting === 0, now });
    this.#decideStandby(settings, missing, now);
    return this;
  }

  /** Lets workers above the maximum leave. Returns the number of those that leave at once. */
  #leaveAbove(settings: ScalingSettings, observed: readonly Worker[], above: number, now: number): number {
    const surplus = observed
      .filter(({ state, held }) => state !== 'busy' && state !== 'standby' && !held)
      .sort(
        (left, right) =>
          REMOVAL_ORDER.indexOf(left.state) - REMOVAL_ORDER.indexOf(right.state) || left.since - right.since,
      )
      .slice(0, above);
    for (const worker of surplus) this.#leave(settings, worker, now);
    const busy = observed.filter(({ state }) => state === 'busy');
    const retiring = busy.filter(({ retired }) => retired).length;
    // Under constant load, none of them would ever become idle.
    const retire = busy
      .filter(({ retired, held }) => !retired && !held)
      .sort((left, right) => right.since - left.since)
      .slice(0, Math.max(0, above - surplus.length - retiring));
    this.retire.push(...retire);
    return surplus.length;
  }

  /** Lets the workers leave that have been idle too long and those that cannot work, if no work waits for them. At most `removed`. */
  #leaveIdle(
    settings: ScalingSettings,
    {
      observed,
      removed,
      mayBeThrottled,
      now,
    }: { observed: readonly Worker[]; removed: number; mayBeThrottled: boolean; now: number },
  ): void {
    const removable = this.#removable;
    clear(removable);
    for (const worker of observed) {
      const { state, held } = worker;
      const fits = state === 'idle' || (mayBeThrottled && (state === 'throttled' || state === 'unhealthy'));
      if (fits && !held && !this.stop.includes(worker) && !this.freeze.includes(worker)) removable.push(worker);
    }
    sort(removable, earliestFirst);
    let left = removed;
    for (const worker of removable) {
      if (left-- === 0) break;
      const leavesAt = worker.since + settings.idleTimeoutMs;
      if (worker.state === 'throttled' || leavesAt <= now) this.#leave(settings, worker, now);
      else this.#reconsiderBy(leavesAt);
    }
  }

  #leave({ standbyMs }: ScalingSettings, worker: Worker, now: number): void {
    if (worker.state !== 'idle' || standbyMs === 0) this.stop.push(worker);
    else {
      this.freeze.push(worker);
      // Nothing else may happen until the standby ends.
      this.#reconsiderBy(now + standbyMs);
    }
  }

  #reconsiderBy(moment: number): void {
    if (moment < this.reconsiderAt) this.reconsiderAt = moment;
  }

  #decideStandby({ max, standbyMs }: ScalingSettings, missing: number, now: number): void {
    const standby = this.#standby;
    sort(standby, latestFirst);
    let index = -1;
    for (const worker of standby) {
      index++;
      const expiresAt = worker.since + standbyMs;
      if (index < missing) this.resume.push(worker);
      else if (index >= max || expiresAt <= now) this.stop.push(worker);
      else this.#reconsiderBy(expiresAt);
    }
    this.start = missing - this.resume.length;
  }
}

type Order = (left: WorkerObservation, right: WorkerObservation) => number;

const earliestFirst: Order = (left, right) => left.since - right.since;
const latestFirst: Order = (left, right) => right.since - left.since;

/** Sorts workers. They are usually in order, and a sort would allocate memory. */
function sort(workers: WorkerObservation[], order: Order): void {
  let previous: WorkerObservation | undefined;
  for (const worker of workers) {
    if (previous && order(previous, worker) > 0) {
      workers.sort(order);
      return;
    }
    previous = worker;
  }
}

/** Empties a list, whose memory stays allocated. */
function clear(list: unknown[]): void {
  while (list.length > 0) list.pop();
}

/* How fast the decisions of the autoscaler are made and carried out. */

/** Minimum time between two scaling decisions, in ms. Work arrives and ends far more often than workers can start. */
export const SCALING_PAUSE_MS = 20;

/** Maximum number of workers that are created in one turn of the event loop, by any number of decisions. */
export const MAX_CREATED_PER_TURN = 10;

/** Maximum number of workers that wait for a free slot on this machine. All others are only counted. */
export const MAX_QUEUED_WORKERS = 50;
