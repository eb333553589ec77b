import type { SimulatedSettings, SimulationResult } from '../../contract/launch/simulation.ts';
import { ROUTE_WAIT_MS } from '../../contract/route.ts';
import { STANDBY_MS } from '../domain/autoscaler.ts';
import { chooseWorker } from '../domain/balancing.ts';
import { DEFAULT_TTL_MS } from '../domain/job.ts';
import { COMPUTE_STEP_MS } from '../domain/usage.ts';
import { EventHeap, type WorkerEvent } from './eventHeap.ts';
import { Fleet } from './fleet.ts';
import type { PreparedLoad } from './preparedLoad.ts';
import { Scaler, WaitingJobs } from './scaler.ts';
import { SimulatedWorker } from './simulatedWorker.ts';

/** Settings without the price, which influences no decision. */
type UnpricedSettings = Omit<SimulatedSettings, 'id' | 'usdPerSecond'>;

/** The result of a simulation before the price is known. */
interface Outcome extends Omit<SimulationResult, 'id' | 'usd'> {
  /** Time that is paid, in whole seconds for each process. */
  readonly paidSeconds: number;
  /** With every higher maximum of workers, the outcome is the same. */
  readonly needed: number;
}

/**
 * Simulates an endpoint. It runs the autoscaler and the balancer of the platform, and follows the queue, the worker pool, and the metering
 * of the platform event by event. Workers do not fail, and a process ends as soon as it is asked to.
 *
 * Times are whole ms, as those of the platform.
 *
 * @param options.isThorough whether the autoscaler makes every decision, for tests of those that are left out
 */
export function simulate(
  load: PreparedLoad,
  settings: UnpricedSettings,
  { isThorough = false }: { isThorough?: boolean } = {},
): Outcome {
  return new Simulation(load, settings, isThorough).run();
}

class Simulation {
  readonly #load: PreparedLoad;
  readonly #executionFactor: number;
  readonly #isQueue: boolean;
  readonly #events = new EventHeap();
  readonly #waiting: WaitingJobs;
  readonly #fleet: Fleet;
  readonly #scaler: Scaler;
  readonly #waits: Float64Array;
  #now = 0;
  #requests = 0;
  #lastEnd = 0;
  #completed = 0;
  #timedOut = 0;

  constructor(load: PreparedLoad, settings: UnpricedSettings, isThorough: boolean) {
    const { scaling, min, max, idleTimeoutMs, flashboot, executionFactor } = settings;
    this.#load = load;
    this.#executionFactor = executionFactor;
    this.#isQueue = load.type === 'QUEUE';
    this.#waiting = new WaitingJobs(load.arrivals, load.ttlMs ?? (this.#isQueue ? DEFAULT_TTL_MS : ROUTE_WAIT_MS));
    this.#fleet = new Fleet(load, this.#events);
    const standbyMs = STANDBY_MS[flashboot];
    this.#scaler = new Scaler({ scaling, min, max, idleTimeoutMs, standbyMs }, this.#fleet, this.#waiting, isThorough);
    this.#waits = new Float64Array(load.arrivals.length);
  }

  run(): Outcome {
    this.#adapt();
    while (this.#step());
    return this.#result();
  }

  /** Processes the next event. Returns false if there is none. */
  #step(): boolean {
    const { expiresAt, arrivesAt } = this.#waiting;
    const { nextAt: eventAt } = this.#events;
    const { nextAt: decisionAt, reconsiderAt } = this.#scaler;
    const now = Math.min(eventAt, expiresAt, arrivesAt, decisionAt, reconsiderAt);
    if (now === Infinity) return false;
    this.#now = now;
    if (eventAt === now) this.#happen(this.#events.take());
    else if (expiresAt === now) this.#expire();
    else if (arrivesAt === now) this.#waiting.next++;
    else if (decisionAt === now) {
      this.#scaler.decide(now);
      return true;
    } else if (!this.#scaler.mayReconsider(now)) return true;
    this.#adapt();
    return true;
  }

  #happen(event: WorkerEvent | undefined): void {
    if (!event) return;
    const { kind, worker, job, timedOut } = event;
    switch (kind) {
      case 'up':
        if (!this.#isQueue) this.#fleet.backends.push(worker);
        break;
      case 'ready':
        this.#fleet.readied(worker, this.#now);
        break;
      case 'free':
        this.#freed(worker);
        break;
      case 'ended':
        this.#count(timedOut);
        this.#fleet.finish(worker, this.#now);
        if (this.#load.handOverMs > 0) this.#events.add(this.#now + this.#load.handOverMs, 'free', worker);
        else this.#freed(worker);
        break;
      case 'overdue':
        this.#overdue(worker, job);
        break;
    }
  }

  /** The first waiting job has waited too long. */
  #expire(): void {
    this.#waits[this.#waiting.first++] = this.#waiting.ttlMs;
    this.#count(true);
  }

  /** Dispatches work and adapts the number of workers. */
  #adapt(): void {
    if (this.#waiting.count > 0) {
      if (this.#isQueue) this.#dispatch();
      else this.#balance();
    }
    this.#scaler.changed(this.#now);
  }

  /** Each worker gets its first job before any worker gets its second. */
  #dispatch(): void {
    while (this.#fleet.free > 0 && this.#waiting.count > 0)
      for (const worker of this.#fleet.workers) {
        if (worker.free === 0) continue;
        if (this.#waiting.count === 0) return;
        this.#fleet.assign(worker, this.#now);
        this.#begin(worker, this.#waiting.first++, this.#now + this.#load.executionTimeoutMs);
      }
  }

  /** Every request goes to a ready worker at once, however many that worker has. */
  #balance(): void {
    while (this.#waiting.count > 0) {
      const worker = chooseWorker(this.#fleet.backends, undefined);
      if (!(worker instanceof SimulatedWorker)) return;
      const job = this.#waiting.first++;
      const deadline = this.#now + this.#load.executionTimeoutMs;
      worker.lastAssigned = ++this.#requests;
      this.#fleet.assign(worker, this.#now);
      if (worker.free > 0) this.#begin(worker, job, deadline);
      else {
        (worker.received ??= []).push({ job, deadline });
        if (deadline < Infinity) this.#events.add(deadline, 'overdue', worker, job);
      }
      // The platform reports each assignment.
      this.#scaler.changed(this.#now);
    }
  }

  #begin(worker: SimulatedWorker, job: number, deadline: number): void {
    const { arrivals, executions } = this.#load;
    const arrival = arrivals[job] ?? 0;
    const limit = this.#isQueue ? Math.min(deadline, arrival + this.#waiting.ttlMs) : deadline;
    const end = this.#now + Math.round((executions[job % executions.length] ?? 0) * this.#executionFactor);
    this.#waits[job] = this.#now - arrival;
    this.#fleet.setFree(worker, worker.free - 1);
    this.#events.add(Math.min(end, limit), 'ended', worker, job, end > limit);
  }

  /** The worker can begin another job, unless it has been stopped or frozen since its last one. */
  #freed(worker: SimulatedWorker): void {
    const { concurrency } = this.#load;
    const begun = worker.load - (worker.received?.length ?? 0);
    if (!worker.ready || worker.free + begun >= concurrency) return;
    this.#fleet.setFree(worker, worker.free + 1);
    const next = worker.received?.shift();
    if (next) this.#begin(worker, next.job, next.deadline);
  }

  /** The balancer gives a request up, unless the worker has begun it. */
  #overdue(worker: SimulatedWorker, job: number): void {
    const index = worker.received?.findIndex((one) => one.job === job) ?? -1;
    if (index === -1) return;
    worker.received?.splice(index, 1);
    this.#waits[job] = this.#now - (this.#load.arrivals[job] ?? 0);
    this.#count(true);
    this.#fleet.finish(worker, this.#now);
  }

  #count(timedOut: boolean): void {
    this.#lastEnd = this.#now;
    if (timedOut) this.#timedOut++;
    else this.#completed++;
  }

  #result(): Outcome {
    const { paidSteps, busyMs, coldStarts, resumes, peak, peakStandby } = this.#fleet.close(
      Math.max(this.#load.durationMs, this.#lastEnd),
    );
    const paidMs = paidSteps * COMPUTE_STEP_MS;
    const [p50 = null, p90 = null, p95 = null, p99 = null, max = null] = percentiles(this.#waits, PARTS);
    return {
      waitMs: { p50, p90, p95, p99, max },
      ...{ completed: this.#completed, timedOut: this.#timedOut, coldStarts, resumes, peakWorkers: peak },
      utilization: paidMs === 0 ? null : busyMs / paidMs,
      paidSeconds: paidMs / 1000,
      needed: Math.max(this.#scaler.highestTarget, peakStandby),
    };
  }
}

/** Percentiles of the waits in a result. */
const PARTS = [0.5, 0.9, 0.95, 0.99, 1] as const;

/** Settings that differ only in their prices and their maximum of workers, those with the highest maximum first. */
export type SettingsGroup = readonly SimulatedSettings[];

export function groupSettings(settings: readonly SimulatedSettings[]): SettingsGroup[] {
  const groups = Map.groupBy(settings, ({ scaling, min, idleTimeoutMs, flashboot, executionFactor }) =>
    JSON.stringify([Object.values(scaling), min, idleTimeoutMs, flashboot, executionFactor]),
  );
  return Array.from(groups.values(), (group) => group.sort((left, right) => right.max - left.max));
}

/** Yields the result of each settings of a group. Settings whose maximum is not reached have the outcome of those with a higher one. */
export function* simulateGroup(load: PreparedLoad, group: SettingsGroup): Generator<SimulationResult, void> {
  let last: { readonly max: number; readonly outcome: Outcome } | undefined;
  for (const settings of group) {
    const { id, max, usdPerSecond } = settings;
    const isSame = last && (max === last.max || max > last.outcome.needed);
    const outcome: Outcome = isSame && last ? last.outcome : simulate(load, settings);
    last = { max, outcome };
    const { paidSeconds, needed: _, ...result } = outcome;
    yield { id, usd: paidSeconds * usdPerSecond, ...result };
  }
}

const BUCKETS = 4_096;

/**
 * Returns the values at these parts of the order, by their nearest ranks. null for no values. Values are whole numbers of at least 0. It sorts only the values
 * near each rank, because a sort of all takes a tenth of a simulation.
 *
 * @param parts such as 0.95 for the 95th percentile
 */
export function percentiles(values: Float64Array, parts: readonly number[]): (number | null)[] {
  if (values.length === 0) return parts.map(() => null);
  let highest = 0;
  for (const value of values) if (value > highest) highest = value;
  const scale = highest > 0 ? (BUCKETS - 1) / highest : 0;
  const counts = new Uint32Array(BUCKETS);
  for (const value of values) {
    const bucket = Math.floor(value * scale);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const ranks = parts.map((part) => rankOf(Math.max(1, Math.ceil(part * values.length)), counts));
  const near = new Map(ranks.map(({ bucket }): [number, number[]] => [bucket, []]));
  const isNear = new Uint8Array(BUCKETS);
  for (const bucket of near.keys()) isNear[bucket] = 1;
  for (const value of values) {
    const bucket = Math.floor(value * scale);
    if (isNear[bucket] === 1) near.get(bucket)?.push(value);
  }
  for (const some of near.values()) some.sort((left, right) => left - right);
  return ranks.map(({ bucket, rank }) => near.get(bucket)?.[rank - 1] ?? null);
}

/** Returns the bucket of a rank, and the rank inside of that bucket. */
function rankOf(rank: number, counts: Uint32Array): { bucket: number; rank: number } {
  let [bucket, left] = [0, rank];
  for (; left > (counts[bucket] ?? Infinity); bucket++) left -= counts[bucket] ?? 0;
  return { bucket, rank: left };
}
