import {
  Autoscaler,
  keptWorkers,
  overdueAt,
  queueHorizon,
  targetWorkers,
  type ScalingSettings,
  MAX_CREATED_PER_TURN,
  MAX_QUEUED_WORKERS,
  SCALING_PAUSE_MS,
} from '../domain/autoscaler.ts';
import type { Fleet } from './fleet.ts';
import type { SimulatedWorker } from './simulatedWorker.ts';

/** The jobs or requests that wait for a worker, in order of arrival. Times are ms since the start of the load. */
export class WaitingJobs {
  /** Time of arrival of each job, ascending. */
  readonly arrivals: Float64Array;
  /** Time after which a waiting job expires. */
  readonly ttlMs: number;
  /** Jobs from `first` to before `next` wait. */
  first = 0;
  next = 0;

  constructor(arrivals: Float64Array, ttlMs: number) {
    this.arrivals = arrivals;
    this.ttlMs = ttlMs;
  }

  get count(): number {
    return this.next - this.first;
  }

  /** Time of the next arrival. Infinity if there is none. */
  get arrivesAt(): number {
    return this.arrivals[this.next] ?? Infinity;
  }

  /** Time at which the first job expires. Infinity if no job waits. */
  get expiresAt(): number {
    return this.first < this.next ? this.since(0) + this.ttlMs : Infinity;
  }

  /** Start of the wait of a waiting job. @param index 0 for the first one */
  since(index: number): number {
    return this.arrivals[this.first + index] ?? Infinity;
  }
}

/**
 * Adapts the number of workers with the autoscaler, as the pool of the platform does. It asks the autoscaler only when its decision may
 * change something, which a few comparisons tell.
 */
export class Scaler {
  /** Time of the next decision. Infinity if no change is to be considered. */
  nextAt = Infinity;
  /** Lower bound of the time at which the decision may change without another event. */
  reconsiderAt = Infinity;
  /** Highest number of workers that a decision was meant to reach. */
  highestTarget = 0;
  readonly #settings: ScalingSettings;
  readonly #fleet: Fleet;
  readonly #waiting: WaitingJobs;
  readonly #isThorough: boolean;
  readonly #autoscaler = new Autoscaler<SimulatedWorker>();
  readonly #horizon: number;
  /** Delay of the scaler in seconds. Infinity for one without a delay. */
  readonly #delay: number;
  readonly #demand = { waiting: 0, overdue: 0, nextOverdueAt: Infinity, running: 0 };
  #pausedUntil = -Infinity;
  /** Time at which the decision may change: exact, and a lower bound for the end of an idle time. */
  #momentAt = Infinity;
  #idleMomentAt = Infinity;

  /** @param isThorough whether the autoscaler makes every decision, which takes longer and has the same result */
  constructor(settings: ScalingSettings, fleet: Fleet, waiting: WaitingJobs, isThorough: boolean) {
    this.#settings = settings;
    this.#fleet = fleet;
    this.#waiting = waiting;
    this.#isThorough = isThorough;
    this.#horizon = queueHorizon(settings);
    this.#delay = settings.scaling.type === 'QUEUE_DELAY' ? settings.scaling.queueDelay : Infinity;
  }

  /** Decides after a change: now, or at the end of the pause after the last decision. */
  changed(now: number): void {
    if (now >= this.#pausedUntil) this.decide(now);
    else this.nextAt = this.#pausedUntil;
  }

  /** Decides, and carries the decision out. */
  decide(now: number): void {
    this.#pausedUntil = now + SCALING_PAUSE_MS;
    this.nextAt = Infinity;
    this.#countDemand(now);
    const { count, available } = this.#fleet;
    const target = targetWorkers(this.#settings, this.#demand, count, available);
    this.highestTarget = Math.max(this.highestTarget, target);
    if (this.#isThorough || this.#mayAct(target, now)) {
      this.#autoscaler.decide(this.#settings, this.#demand, this.#fleet.workers, now);
      this.#carryOut(now);
      this.#momentAt = this.#autoscaler.reconsiderAt;
      this.#idleMomentAt = Infinity;
    }
    this.reconsiderAt = Math.min(this.#momentAt, this.#idleMomentAt);
  }

  /** Returns whether the decision may change now. Must be called at `reconsiderAt`. */
  mayReconsider(now: number): boolean {
    let isDue = this.#momentAt === now;
    if (this.#momentAt <= now) this.#momentAt = Infinity;
    if (this.#idleMomentAt <= now) {
      this.#fleet.findIdle();
      this.#idleMomentAt = this.#fleet.idleSince + this.#settings.idleTimeoutMs;
      isDue ||= this.#idleMomentAt <= now;
      if (isDue) this.#idleMomentAt = Infinity;
    }
    this.reconsiderAt = Math.min(this.#momentAt, this.#idleMomentAt);
    return isDue;
  }

  #countDemand(now: number): void {
    const demand = this.#demand;
    const { count } = this.#waiting;
    demand.waiting = Math.min(count, this.#horizon);
    demand.running = this.#fleet.running;
    demand.overdue = 0;
    demand.nextOverdueAt = Infinity;
    // At the maximum of workers, the delay has no influence.
    if (this.#delay === Infinity || this.#fleet.count >= this.#settings.max) return;
    while (demand.overdue < demand.waiting) {
      const at = overdueAt(this.#waiting.since(demand.overdue), this.#delay);
      if (at > now) {
        demand.nextOverdueAt = at;
        break;
      }
      demand.overdue++;
    }
  }

  /** Returns false if the decision changes nothing, and finds the time at which it may change then. */
  #mayAct(target: number, now: number): boolean {
    const { max, idleTimeoutMs, standbyMs } = this.#settings;
    const { count, throttled, standby } = this.#fleet;
    if (target > count) return true;
    this.#idleMomentAt = Infinity;
    if (count > keptWorkers(this.#settings, target)) {
      if (throttled.length > 0 && this.#demand.waiting === 0) return true;
      if (this.#fleet.idleSince + idleTimeoutMs <= now) this.#fleet.findIdle();
      this.#idleMomentAt = this.#fleet.idleSince + idleTimeoutMs;
      if (this.#idleMomentAt <= now) return true;
    }
    this.#momentAt = count < max ? this.#demand.nextOverdueAt : Infinity;
    const [oldest] = standby;
    if (!oldest) return false;
    if (standby.length > max || oldest.since + standbyMs <= now) return true;
    this.#momentAt = Math.min(this.#momentAt, oldest.since + standbyMs);
    return false;
  }

  #carryOut(now: number): void {
    const { start, resume, freeze, stop } = this.#autoscaler;
    for (const worker of stop) this.#fleet.stop(worker);
    for (const worker of freeze) this.#fleet.freeze(worker, now);
    for (const worker of resume) this.#fleet.resume(worker, now);
    const isFull = this.#create(start, now);
    // A process ends after the decision.
    for (const worker of stop) this.#fleet.end(worker, now);
    // The platform reports these changes, which lead to another decision.
    if (isFull || stop.length > 0 || resume.length > 0) this.nextAt = this.#pausedUntil;
  }

  /** Creates workers. Returns whether more are missing that the next turn creates. */
  #create(missing: number, now: number): boolean {
    for (let created = 0; created < missing; created++) {
      if (created === MAX_CREATED_PER_TURN) return true;
      if (this.#fleet.throttled.length >= MAX_QUEUED_WORKERS) return false;
      this.#fleet.create(now);
    }
    return false;
  }
}
