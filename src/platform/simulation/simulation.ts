import type { SimulatedSettings, SimulationResult } from '../../contract/launch/simulation.ts';
import { ROUTE_WAIT_MS } from '../../contract/route.ts';
import { decideScaling, queueHorizon, STANDBY_MS, type Demand, type ScalingSettings } from '../domain/autoscaler.ts';
import { chooseWorker } from '../domain/balancing.ts';
import { DEFAULT_TTL_MS } from '../domain/job.ts';
import { startedSteps } from '../domain/metering.ts';
import { MAX_CREATED_PER_TURN, MAX_QUEUED_WORKERS, SCALING_PAUSE_MS } from '../domain/scalingPace.ts';
import { COMPUTE_STEP_MS } from '../domain/usage.ts';
import { EventHeap } from './eventHeap.ts';
import { percentiles } from './percentiles.ts';
import type { PreparedLoad } from './preparedLoad.ts';
import { SimulatedWorker } from './simulatedWorker.ts';

type EventKind = 'up' | 'ready' | 'free' | 'ended' | 'overdue';

interface SimulationEvent {
  readonly kind: EventKind;
  readonly worker: SimulatedWorker;
  /** Index of the job. -1 if the event concerns none. */
  readonly job: number;
  /** Whether the job has ended because a time limit was exceeded. */
  readonly timedOut: boolean;
}

/**
 * Simulates an endpoint. It runs the autoscaler and the balancer of the platform, and follows the queue, the worker pool and the metering of
 * the platform event by event. Nothing fails, and a process ends as soon as it is asked to.
 *
 * Times are whole ms, as those of the platform.
 */
export function simulate(load: PreparedLoad, settings: SimulatedSettings): SimulationResult {
  return new Simulation(load, settings).run();
}

class Simulation {
  readonly #load: PreparedLoad;
  readonly #settings: SimulatedSettings;
  readonly #scaling: ScalingSettings;
  readonly #horizon: number;
  readonly #isQueue: boolean;
  /** Time after which a waiting job expires, in ms. In a queue, it expires while it runs, too. */
  readonly #ttlMs: number;
  readonly #events = new EventHeap<SimulationEvent>();
  /** Workers in order of their creation. Stopped ones are removed. */
  readonly #workers: SimulatedWorker[] = [];
  /** Workers of a load-balanced endpoint in order of the starts of their processes. */
  readonly #backends: SimulatedWorker[] = [];
  /** Workers that wait for a slot of the capacity, in order. */
  readonly #throttled: SimulatedWorker[] = [];
  readonly #waits: Float64Array;
  #now = 0;
  /** Jobs from `#head` to before `#tail` wait. */
  #head = 0;
  #tail = 0;
  #running = 0;
  /** Number of jobs that all workers can begin now. */
  #free = 0;
  #requests = 0;
  #slots = 0;
  #created = 0;
  /** Earliest time of the next decision. */
  #throttledUntil = -Infinity;
  /** Whether the state has changed since the last decision. */
  #isPending = false;
  #reconsiderAt = Infinity;
  #lastEnd = 0;
  #paidSteps = 0;
  #busyMs = 0;
  #completed = 0;
  #timedOut = 0;
  #coldStarts = 0;
  #resumes = 0;
  #peak = 0;

  constructor(load: PreparedLoad, settings: SimulatedSettings) {
    const { scaling, min, max, idleTimeoutMs, flashboot } = settings;
    this.#load = load;
    this.#settings = settings;
    this.#scaling = { scaling, min, max, idleTimeoutMs, standbyMs: STANDBY_MS[flashboot] };
    this.#horizon = queueHorizon(this.#scaling);
    this.#isQueue = load.type === 'QUEUE';
    this.#ttlMs = load.ttlMs ?? (this.#isQueue ? DEFAULT_TTL_MS : ROUTE_WAIT_MS);
    this.#waits = new Float64Array(load.arrivals.length);
  }

  run(): SimulationResult {
    this.#adapt();
    while (this.#next());
    return this.#result();
  }

  /** Processes the next event. Returns false if there is none. */
  #next(): boolean {
    const { arrivals } = this.#load;
    const eventAt = this.#events.nextAt;
    const arrivalAt = this.#tail < arrivals.length ? (arrivals[this.#tail] as number) : Infinity;
    const expiryAt = this.#head < this.#tail ? (arrivals[this.#head] as number) + this.#ttlMs : Infinity;
    const decisionAt = this.#isPending ? this.#throttledUntil : Infinity;
    const now = Math.min(eventAt, arrivalAt, expiryAt, decisionAt, this.#reconsiderAt);
    if (now === Infinity) return false;
    this.#now = now;
    if (eventAt === now) this.#happen(this.#events.take());
    else if (expiryAt === now) this.#expire();
    else if (arrivalAt === now) this.#arrive();
    else if (decisionAt === now) {
      this.#scale();
      return true;
    } else this.#reconsiderAt = Infinity;
    this.#adapt();
    return true;
  }

  #happen({ kind, worker, job, timedOut }: SimulationEvent): void {
    switch (kind) {
      case 'up':
        if (!this.#isQueue) this.#backends.push(worker);
        break;
      case 'ready':
        this.#readied(worker);
        break;
      case 'free':
        this.#freed(worker);
        break;
      case 'ended':
        this.#ended(worker, timedOut);
        break;
      case 'overdue':
        this.#overdue(worker, job);
        break;
    }
  }

  #arrive(): void {
    this.#tail++;
  }

  /** The first job has waited too long. */
  #expire(): void {
    this.#waits[this.#head++] = this.#ttlMs;
    this.#count(true);
  }

  #readied(worker: SimulatedWorker): void {
    worker.ready = true;
    if (worker.state === 'starting') {
      worker.state = 'idle';
      worker.since = this.#now;
    }
    this.#setFree(worker, this.#load.concurrency);
  }

  #setFree(worker: SimulatedWorker, free: number): void {
    // Between two jobs, the worker may have been stopped.
    const possible = worker.ready ? free : 0;
    this.#free += possible - worker.free;
    worker.free = possible;
  }

  /** Dispatches work and adapts the number of workers, at most every `SCALING_PAUSE_MS`. */
  #adapt(): void {
    if (this.#head < this.#tail) {
      if (this.#isQueue) this.#dispatch();
      else this.#balance();
    }
    if (this.#now >= this.#throttledUntil) this.#scale();
    else this.#isPending = true;
  }

  /** Each worker gets its first job before any worker gets its second, as in a queue-based endpoint. */
  #dispatch(): void {
    while (this.#free > 0 && this.#head < this.#tail)
      for (const worker of this.#workers) {
        if (worker.free === 0) continue;
        if (this.#head === this.#tail) return;
        this.#assign(worker);
        this.#begin(worker, this.#head++, this.#now + this.#load.executionTimeoutMs);
      }
  }

  /** Every request goes to a ready worker at once, however many that worker has. */
  #balance(): void {
    while (this.#head < this.#tail) {
      const worker = chooseWorker(this.#backends, undefined);
      if (!(worker instanceof SimulatedWorker)) return;
      const job = this.#head++;
      const deadline = this.#now + this.#load.executionTimeoutMs;
      worker.lastAssigned = ++this.#requests;
      this.#assign(worker);
      if (worker.free > 0) this.#begin(worker, job, deadline);
      else {
        worker.received.push({ job, deadline });
        if (deadline < Infinity) this.#events.add(deadline, { kind: 'overdue', worker, job, timedOut: true });
      }
      // The platform reports each assignment as a further change.
      this.#isPending = true;
    }
  }

  #assign(worker: SimulatedWorker): void {
    this.#running++;
    if (worker.load++ > 0) return;
    worker.state = 'busy';
    worker.busyFrom = this.#now;
  }

  #begin(worker: SimulatedWorker, job: number, deadline: number): void {
    const { arrivals, executions } = this.#load;
    const arrival = arrivals[job] as number;
    const executionMs = Math.round((executions[job % executions.length] as number) * this.#settings.executionFactor);
    const limit = this.#isQueue ? Math.min(deadline, arrival + this.#ttlMs) : deadline;
    const end = this.#now + executionMs;
    this.#waits[job] = this.#now - arrival;
    this.#setFree(worker, worker.free - 1);
    this.#events.add(Math.min(end, limit), { kind: 'ended', worker, job, timedOut: end > limit });
  }

  #ended(worker: SimulatedWorker, timedOut: boolean): void {
    this.#finish(worker, timedOut);
    const { handOverMs } = this.#load;
    if (handOverMs > 0) this.#events.add(this.#now + handOverMs, { kind: 'free', worker, job: -1, timedOut: false });
    else this.#freed(worker);
  }

  /** A worker can begin another job. */
  #freed(worker: SimulatedWorker): void {
    const { concurrency } = this.#load;
    this.#setFree(worker, Math.min(worker.free + 1, concurrency - (worker.load - worker.received.length)));
    const next = worker.free > 0 ? worker.received.shift() : undefined;
    if (next) this.#begin(worker, next.job, next.deadline);
  }

  /** The balancer gives a request up, if the worker has not begun it. */
  #overdue(worker: SimulatedWorker, job: number): void {
    const index = worker.received.findIndex((one) => one.job === job);
    if (index === -1) return;
    worker.received.splice(index, 1);
    this.#waits[job] = this.#now - (this.#load.arrivals[job] as number);
    this.#finish(worker, true);
  }

  #finish(worker: SimulatedWorker, timedOut: boolean): void {
    this.#count(timedOut);
    this.#running--;
    if (--worker.load > 0) return;
    worker.state = 'idle';
    worker.since = this.#now;
    this.#busyMs += this.#now - worker.busyFrom;
  }

  #count(timedOut: boolean): void {
    this.#lastEnd = this.#now;
    if (timedOut) this.#timedOut++;
    else this.#completed++;
  }

  /** Decides about the number of workers, as the pool of the platform does. */
  #scale(): void {
    this.#throttledUntil = this.#now + SCALING_PAUSE_MS;
    this.#isPending = false;
    const decision = decideScaling(this.#scaling, this.#demand(), this.#workers, this.#now);
    const stopped = this.#byIds(decision.stop);
    for (const worker of stopped) this.#stop(worker);
    for (const worker of this.#byIds(decision.freeze)) this.#freeze(worker);
    for (const worker of this.#byIds(decision.resume)) {
      worker.state = 'throttled';
      this.#requestSlot(worker);
      this.#isPending = true;
    }
    this.#create(decision.start);
    // A process ends after the decision.
    for (const worker of stopped) if (worker.paidFrom !== Infinity) this.#release(worker);
    if (stopped.length > 0) this.#isPending = true;
    this.#reconsiderAt = decision.reconsiderAt ?? Infinity;
  }

  #demand(): Demand {
    const end = Math.min(this.#tail, this.#head + this.#horizon);
    return { waitingSince: Array.from(this.#load.arrivals.subarray(this.#head, end)), running: this.#running };
  }

  #create(missing: number): void {
    let left = missing;
    let created = 0;
    for (; left > 0 && created < MAX_CREATED_PER_TURN && this.#throttled.length < MAX_QUEUED_WORKERS; left--) {
      const worker = new SimulatedWorker(String(this.#created++), this.#now);
      this.#workers.push(worker);
      this.#requestSlot(worker);
      created++;
    }
    if (created === MAX_CREATED_PER_TURN && left > 0) this.#isPending = true;
  }

  #stop(worker: SimulatedWorker): void {
    worker.isStopped = true;
    remove(this.#workers, worker);
    remove(this.#backends, worker);
    remove(this.#throttled, worker);
    this.#retire(worker);
  }

  #freeze(worker: SimulatedWorker): void {
    this.#retire(worker);
    worker.state = 'standby';
    worker.since = this.#now;
    this.#release(worker);
  }

  /** The worker gets no more work. */
  #retire(worker: SimulatedWorker): void {
    worker.ready = false;
    this.#setFree(worker, 0);
  }

  #requestSlot(worker: SimulatedWorker): void {
    if (this.#slots < this.#load.capacity) this.#admit(worker);
    else this.#throttled.push(worker);
  }

  #admit(worker: SimulatedWorker): void {
    const { coldStarts, processStarts, resumes } = this.#load;
    this.#peak = Math.max(this.#peak, ++this.#slots);
    if (worker.hasProcess) {
      const resumeMs = resumes[this.#resumes++ % resumes.length] as number;
      worker.state = 'idle';
      worker.paidFrom = this.#now;
      // The idle time begins once the worker can work. Otherwise, a slow resume could be longer than the idle timeout, again and again.
      worker.since = this.#now + resumeMs;
      this.#events.add(worker.since, { kind: 'ready', worker, job: -1, timedOut: false });
      return;
    }
    const start = this.#coldStarts++;
    const readyMs = coldStarts[start % coldStarts.length] as number;
    const upMs = Math.min(readyMs, processStarts[start % processStarts.length] as number);
    worker.hasProcess = true;
    worker.state = 'starting';
    worker.since = this.#now;
    worker.paidFrom = this.#now + upMs;
    this.#events.add(worker.paidFrom, { kind: 'up', worker, job: -1, timedOut: false });
    this.#events.add(this.#now + readyMs, { kind: 'ready', worker, job: -1, timedOut: false });
  }

  /** The process ends or is frozen. */
  #release(worker: SimulatedWorker): void {
    this.#pay(worker, this.#now);
    this.#slots--;
    const next = this.#throttled.shift();
    if (next) this.#admit(next);
  }

  #pay(worker: SimulatedWorker, until: number): void {
    this.#paidSteps += startedSteps(until - worker.paidFrom, COMPUTE_STEP_MS);
    worker.paidFrom = Infinity;
  }

  #byIds(ids: readonly string[]): SimulatedWorker[] {
    return ids.flatMap((id) => this.#workers.find((worker) => worker.id === id) ?? []);
  }

  #result(): SimulationResult {
    const { id, usdPerSecond } = this.#settings;
    const end = Math.max(this.#load.durationMs, this.#lastEnd);
    // Those of the minimum, which never stop.
    for (const worker of this.#workers) if (worker.paidFrom !== Infinity) this.#pay(worker, end);
    const paidMs = this.#paidSteps * COMPUTE_STEP_MS;
    return {
      id,
      usd: (paidMs / 1000) * usdPerSecond,
      waitMs: percentiles(this.#waits),
      ...{ completed: this.#completed, timedOut: this.#timedOut },
      ...{ coldStarts: this.#coldStarts, resumes: this.#resumes, peakWorkers: this.#peak },
      utilization: paidMs === 0 ? null : this.#busyMs / paidMs,
    };
  }
}

function remove<Item>(items: Item[], item: Item): void {
  const index = items.indexOf(item);
  if (index !== -1) items.splice(index, 1);
}
