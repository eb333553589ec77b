import { startedSteps } from '../domain/metering.ts';
import { COMPUTE_STEP_MS } from '../domain/usage.ts';
import type { EventHeap } from './eventHeap.ts';
import type { PreparedLoad } from './preparedLoad.ts';
import { SimulatedWorker } from './simulatedWorker.ts';

/** The workers of a simulated endpoint, the slots that they take, and the time that is paid for them. Times are ms. */
export class Fleet {
  /** Workers in order of their creation. */
  readonly workers: SimulatedWorker[] = [];
  /** Workers in order of the starts of their processes. */
  readonly backends: SimulatedWorker[] = [];
  /** Workers on standby, oldest first. */
  readonly standby: SimulatedWorker[] = [];
  /** Workers that wait for a slot, in order. */
  readonly throttled: SimulatedWorker[] = [];
  /** Number of workers that are not on standby. */
  count = 0;
  /** Number of those that wait for a slot, start, or are idle. */
  available = 0;
  /** Lower bound of the starts of the idle times of all workers. */
  idleSince = Infinity;
  /** Number of jobs that all workers can begin now. */
  free = 0;
  /** Number of jobs or requests in progress. */
  running = 0;
  coldStarts = 0;
  resumes = 0;
  /** Highest number of taken slots. */
  peak = 0;
  /** Highest number of workers on standby. */
  peakStandby = 0;
  /** Number of charging steps of all processes. */
  paidSteps = 0;
  /** Time in which workers have had work. */
  busyMs = 0;
  readonly #load: PreparedLoad;
  readonly #events: EventHeap;
  #slots = 0;

  constructor(load: PreparedLoad, events: EventHeap) {
    this.#load = load;
    this.#events = events;
  }

  create(now: number): void {
    const worker = new SimulatedWorker(now);
    this.workers.push(worker);
    this.count++;
    this.available++;
    this.#requestSlot(worker, now);
  }

  resume(worker: SimulatedWorker, now: number): void {
    remove(this.standby, worker);
    this.count++;
    this.available++;
    worker.state = 'throttled';
    this.#requestSlot(worker, now);
  }

  /** Stops a worker that has no work. Its process ends when `end` is called. */
  stop(worker: SimulatedWorker): void {
    remove(this.workers, worker);
    remove(this.backends, worker);
    if (worker.state === 'standby') remove(this.standby, worker);
    else this.#leave(worker);
    if (worker.state === 'throttled') remove(this.throttled, worker);
  }

  freeze(worker: SimulatedWorker, now: number): void {
    this.#leave(worker);
    worker.state = 'standby';
    worker.since = now;
    this.standby.push(worker);
    this.peakStandby = Math.max(this.peakStandby, this.standby.length);
    this.end(worker, now);
  }

  /** The process has ended, or is frozen. Does nothing for a worker without a running process. */
  end(worker: SimulatedWorker, now: number): void {
    if (worker.paidFrom === Infinity) return;
    this.#pay(worker, now);
    this.#slots--;
    const next = this.throttled.shift();
    if (next) this.#admit(next, now);
  }

  readied(worker: SimulatedWorker, now: number): void {
    worker.ready = true;
    if (worker.state === 'starting') {
      worker.state = 'idle';
      worker.since = now;
    }
    if (worker.since < this.idleSince) this.idleSince = worker.since;
    this.setFree(worker, this.#load.concurrency);
  }

  setFree(worker: SimulatedWorker, free: number): void {
    this.free += free - worker.free;
    worker.free = free;
  }

  /** Gives a job or a request to a worker. */
  assign(worker: SimulatedWorker, now: number): void {
    this.running++;
    if (worker.load++ > 0) return;
    worker.state = 'busy';
    worker.busyFrom = now;
    this.available--;
  }

  /** Ends a job or a request of a worker. */
  finish(worker: SimulatedWorker, now: number): void {
    this.running--;
    if (--worker.load > 0) return;
    worker.state = 'idle';
    worker.since = now;
    this.available++;
    if (now < this.idleSince) this.idleSince = now;
    this.busyMs += now - worker.busyFrom;
  }

  /** Makes `idleSince` exact. */
  findIdle(): void {
    this.idleSince = Infinity;
    for (const { state, since } of this.workers) if (state === 'idle' && since < this.idleSince) this.idleSince = since;
  }

  /** Pays for the processes that never end, such as those of the minimum of workers. */
  close(now: number): this {
    for (const worker of this.workers) if (worker.paidFrom !== Infinity) this.#pay(worker, now);
    return this;
  }

  /** The worker gets no more work. */
  #leave(worker: SimulatedWorker): void {
    this.count--;
    this.available--;
    worker.ready = false;
    this.setFree(worker, 0);
  }

  #requestSlot(worker: SimulatedWorker, now: number): void {
    if (this.#slots < this.#load.capacity) this.#admit(worker, now);
    else this.throttled.push(worker);
  }

  #admit(worker: SimulatedWorker, now: number): void {
    const { coldStarts, processStarts, resumes } = this.#load;
    if (++this.#slots > this.peak) this.peak = this.#slots;
    if (worker.hasProcess) {
      worker.state = 'idle';
      worker.paidFrom = now;
      // The idle time begins once the worker can work. Otherwise, a slow resume could be longer than the idle timeout, again and again.
      worker.since = now + (resumes[this.resumes++ % resumes.length] ?? 0);
      this.#events.add(worker.since, 'ready', worker);
      return;
    }
    const start = this.coldStarts++;
    const readyMs = coldStarts[start % coldStarts.length] ?? 0;
    const upMs = Math.min(readyMs, processStarts[start % processStarts.length] ?? 0);
    worker.hasProcess = true;
    worker.state = 'starting';
    worker.since = now;
    worker.paidFrom = now + upMs;
    this.#events.add(worker.paidFrom, 'up', worker);
    this.#events.add(now + readyMs, 'ready', worker);
  }

  #pay(worker: SimulatedWorker, until: number): void {
    this.paidSteps += startedSteps(until - worker.paidFrom, COMPUTE_STEP_MS);
    worker.paidFrom = Infinity;
  }
}

function remove<Item>(items: Item[], item: Item): void {
  const index = items.indexOf(item);
  if (index !== -1) items.splice(index, 1);
}
