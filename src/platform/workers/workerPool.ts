import type { Clock } from '../time/clock.ts';
import {
  decideScaling,
  queueHorizon,
  STANDBY_MS,
  type ScalingSettings,
  type WorkerObservation,
  MAX_CREATED_PER_TURN,
  MAX_QUEUED_WORKERS,
} from '../domain/autoscaler.ts';
import { workerPrice } from '../domain/workerPrices.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { workerStatus, type WorkerView } from '../domain/worker.ts';
import { newWorkerId } from '../ids.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import type { EndpointMeter } from '../metrics/endpointMeter.ts';
import type { Store } from '../store/store.ts';
import type { WorkerEvents } from '../traces/workerEvents.ts';
import { reservedGpus, type RunDependencies } from './runSpecOf.ts';
import type { HostCapacity } from './hostCapacity.ts';
import { DEFAULT_CONCURRENT_STARTS, type Runtime } from '../runtimes/runtime.ts';
import { Worker, type Adoption, type WorkerContext, type WorkSource } from './worker.ts';

export interface WorkerPoolContext extends RunDependencies {
  readonly store: Store;
  readonly logs: WorkerLogs;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Has the same time as `clock`, but waits in real time, as processes and the network require. */
  readonly realClock: Clock;
  readonly capacity: HostCapacity;
  /** Measures the endpoint. */
  readonly meter: EndpointMeter;
  /** Records what traces show of the workers. */
  readonly events: Pick<WorkerEvents, 'record'>;
  /** Time that workers have to exit on their own, in ms. */
  readonly graceMs: number;
}

export interface CloseOptions {
  /** Whether the workers run on for the next platform, if they can. Default: no. */
  readonly keepWorkers?: boolean;
}

interface AddedWorker extends Pick<WorkerContext, 'profilesImports' | 'additional'> {
  /** Default: a new one. */
  readonly id?: string;
  readonly adoption?: Adoption;
}

/** The workers of one endpoint. The pool adapts their number to the demand, and replaces outdated ones. */
export class WorkerPool {
  readonly #context: WorkerPoolContext;
  readonly #work: WorkSource;
  readonly #workers = new Map<string, Worker>();
  /** Workers that are stopping. They are no longer counted or listed, but `close` waits for them. */
  readonly #stopping = new Set<Promise<void>>();
  #endpoint: EndpointRecord;
  #cancelReconsider: (() => void) | undefined;
  #closed = false;
  #scaling = false;
  #waiting = 0;
  #createdInTurn = 0;

  constructor(endpoint: EndpointRecord, context: WorkerPoolContext, work: WorkSource) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#work = work;
  }

  get endpoint(): EndpointRecord {
    return this.#endpoint;
  }

  /** Whether the pool is closed, so that no more work is dispatched. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Returns the workers that count. Workers that are stopping or on standby do not. */
  active(): Worker[] {
    return this.#kept().filter(({ frozen }) => !frozen);
  }

  /** Returns the workers that count for the minimum and the maximum of the endpoint. */
  #scaled(): Worker[] {
    return this.active().filter(({ additional }) => !additional);
  }

  /** Number of workers on standby, frozen. */
  get standby(): number {
    return this.#kept().filter(({ frozen }) => frozen).length;
  }

  /** Number of workers that the endpoint needs but that are not created yet, because the machine cannot start them now. */
  get waiting(): number {
    return this.#waiting;
  }

  #kept(): Worker[] {
    return [...this.#workers.values()].filter(({ stopping }) => !stopping);
  }

  views(): WorkerView[] {
    return this.active().map(({ view }) => view);
  }

  /** Returns a worker that has not fully stopped. */
  find(workerId: string): Worker | undefined {
    return this.#workers.get(workerId);
  }

  /** Adapts the number of workers to the demand. Schedules the next decision if it depends on time alone. */
  scale(): void {
    // Starting a worker reports a change, which must not cause a nested decision.
    if (this.#scaling || this.#closed) return;
    this.#scaling = true;
    try {
      this.#cancelReconsider?.();
      for (const worker of this.#kept())
        if (worker.retired && worker.unfinished === 0) this.#stop(worker, worker.retired);
      const { clock } = this.#context;
      const now = clock.now();
      const settings = this.#settings();
      const demand = this.#work.demand(queueHorizon({ ...settings, max: Math.min(settings.max, this.#maxWorkers) }));
      const decision = decideScaling(
        settings,
        demand,
        this.#kept()
          .filter(({ additional }) => !additional)
          .map(observe),
        now,
      );
      for (const worker of this.#byIds(decision.stop)) this.#stop(worker, 'scaled down');
      for (const worker of this.#byIds(decision.retire)) {
        worker.retire(SURPLUS);
        if (worker.unfinished === 0) this.#stop(worker, SURPLUS);
      }
      for (const worker of this.#byIds(decision.freeze)) worker.freeze();
      for (const worker of this.#byIds(decision.resume)) worker.thaw();
      this.#create(decision.start);
      if (decision.reconsiderAt !== undefined) {
        this.#cancelReconsider = clock.after(decision.reconsiderAt - now, () => this.#work.changed());
      }
    } finally {
      this.#scaling = false;
    }
  }

  /**
   * Creates workers as fast as the machine starts them. The rest are only counted. A later decision creates them once a process has started
   * or a worker has stopped waiting.
   */
  #create(missing: number): void {
    let left = missing;
    while (left > 0 && this.#createdInTurn < MAX_CREATED_PER_TURN && this.#mayCreate()) {
      this.#add();
      left--;
      if (this.#createdInTurn++ === 0) setImmediate(() => this.#nextTurn());
    }
    this.#setWaiting(left);
  }

  #setWaiting(waiting: number): void {
    this.#waiting = waiting;
    this.#context.meter.setUncreated(waiting);
  }

  #nextTurn(): void {
    const isFull = this.#createdInTurn === MAX_CREATED_PER_TURN;
    this.#createdInTurn = 0;
    if (isFull && this.#waiting > 0) this.#work.changed();
  }

  #mayCreate(): boolean {
    const kept = this.#kept();
    const { runtime } = this.#context;
    const maxStarts = runtime.concurrentStarts?.(this.#endpoint.image) ?? DEFAULT_CONCURRENT_STARTS;
    return this.#context.capacity.waitFor(this.#reservedGpus()) === undefined
      ? kept.filter(({ starting }) => starting).length < maxStarts
      : kept.filter(({ view }) => view.throttled).length < MAX_QUEUED_WORKERS;
  }

  #reservedGpus(): number {
    return reservedGpus({ ...this.#context, endpoint: this.#endpoint });
  }

  /** Maximum number of workers that exist at the same time, regardless of the endpoint's configuration. */
  get #maxWorkers(): number {
    return this.#context.capacity.limit + MAX_QUEUED_WORKERS;
  }

  /**
   * Applies a changed endpoint. If its container changed, current workers are outdated: idle ones stop at once, and busy ones once they
   * have finished. Otherwise the workers continue as workers of the new version.
   */
  update(endpoint: EndpointRecord, { replaceWorkers }: { replaceWorkers: boolean }): void {
    this.#endpoint = endpoint;
    this.#context.meter.setRelease(endpoint.version);
    for (const worker of this.#kept()) {
      if (replaceWorkers) worker.retire(OUTDATED);
      else worker.adopt(endpoint);
    }
    this.#work.changed();
  }

  /** Ends the process of a worker and starts another one. */
  restart(worker: Worker, reason: string): void {
    worker.restart(reason);
    this.#work.workerEnding(worker);
  }

  /** Ends a worker that has failed. Restarts it if work is waiting, or if there would be too few workers. */
  replace(worker: Worker, reason: string): void {
    if (worker.ending) return;
    const isNeeded =
      this.#scaled().length <= this.#endpoint.workers.min || this.#work.demand(1).waitingSince.length > 0;
    if (isNeeded) this.restart(worker, reason);
    else this.#stop(worker, reason);
  }

  /**
   * Replaces all processes, because the files of the worker have changed. Busy workers finish their work first, unless a debugger holds
   * them. Returns the number of workers that restart now, and of those that finish first.
   */
  renew(reason: string): { restarted: number; finishing: number } {
    const counts = { restarted: 0, finishing: 0 };
    for (const worker of this.#kept()) {
      if (worker.debugged || worker.unfinished === 0) {
        worker.retryNow();
        this.restart(worker, reason);
        counts.restarted++;
      } else {
        worker.retire(reason);
        counts.finishing++;
      }
    }
    this.#work.changed();
    return counts;
  }

  /**
   * Returns the worker to debug: the given one; otherwise one that is debugged, free, or busy, in this order. If there is none, a worker
   * resumes or starts. Undefined if the given worker does not exist, or the endpoint can have no workers.
   */
  workerToDebug(workerId: string | undefined): Worker | undefined {
    const kept = this.#kept().filter(({ retired, debugged }) => retired === undefined || debugged);
    if (workerId !== undefined) return kept.find(({ id }) => id === workerId);
    const first = (fits: (worker: Worker) => boolean) => kept.find((worker) => !worker.frozen && fits(worker));
    const found =
      first(({ debugged }) => debugged) ??
      first(({ ready, load }) => ready && load === 0) ??
      first(() => true) ??
      kept[0];
    return found ?? (this.#mayHaveWorkers ? this.#add() : undefined);
  }

  /** Starts a further worker whose imports are measured. Undefined if the endpoint can have no workers. */
  workerToMeasure(): Worker | undefined {
    return this.#mayHaveWorkers ? this.#add({ profilesImports: true }) : undefined;
  }

  /**
   * Starts a further worker for jobs that are reserved for it. If the machine has no room for it, returns the worker that `workerToDebug`
   * returns. Undefined if the endpoint can have no workers.
   */
  workerForReservedJobs(): Worker | undefined {
    const hasRoom = this.#context.capacity.waitFor(this.#reservedGpus()) === undefined;
    return this.#mayHaveWorkers && hasRoom ? this.#add({ additional: true }) : this.workerToDebug(undefined);
  }

  get #mayHaveWorkers(): boolean {
    return !this.#closed && this.#endpoint.workers.max > 0;
  }

  /** Takes over the processes of an earlier platform. Call it before anything else. */
  adopt(adoptions: readonly Adoption[]): void {
    for (const adoption of adoptions) this.#add({ id: adoption.run.workerId, adoption });
  }

  /** Stops all workers. With `keepWorkers`, those that the next platform can adopt run on. */
  async close(reason: string, { keepWorkers = false }: CloseOptions = {}): Promise<void> {
    this.#closed = true;
    this.#setWaiting(0);
    this.#cancelReconsider?.();
    const kept = this.#kept();
    if (keepWorkers) await Promise.all(kept.map((worker) => this.#leave(worker, reason)));
    else for (const worker of kept) this.#stop(worker, reason);
    await Promise.all(this.#stopping);
  }

  async #leave(worker: Worker, reason: string): Promise<void> {
    if (worker.leave()) {
      this.#work.workerEnding(worker);
      await this.#work.drain?.(worker);
    } else this.#stop(worker, reason);
  }

  /** Restores a worker that was scaled down, unless the endpoint has its maximum of workers. */
  revive(workerId: string): void {
    if (this.#closed || this.#scaled().length >= this.#endpoint.workers.max) return;
    const worker = this.#workers.get(workerId);
    if (worker) worker.thaw();
    else this.#add({ id: workerId });
  }

  #settings(): ScalingSettings {
    const { scaling, workers, flashboot } = this.#endpoint;
    const { min, max, idleTimeout } = workers;
    const { runtime } = this.#context;
    // A frozen process keeps the memory of its GPUs, so no other worker could use them.
    const mayFreeze = runtime.canFreeze(this.#endpoint.image) && this.#reservedGpus() === 0;
    const standbyMs = mayFreeze ? STANDBY_MS[flashboot] : 0;
    return { scaling, min, max, idleTimeoutMs: idleTimeout * 1000, standbyMs };
  }

  #byIds(ids: readonly string[]): Worker[] {
    return ids.map((id) => this.#workers.get(id)).filter((worker) => worker !== undefined);
  }

  #add({ id = newWorkerId(), adoption, ...kind }: AddedWorker = {}): Worker {
    const endpoint = this.#endpoint;
    const context = { ...this.#context, ...kind, endpoint, price: workerPrice(endpoint), work: this.#work };
    const worker = new Worker(id, context, adoption);
    this.#workers.set(id, worker);
    return worker;
  }

  #stop(worker: Worker, reason: string): void {
    const left = worker.stop(reason).then(() => {
      this.#workers.delete(worker.id);
      this.#stopping.delete(left);
      this.#work.workerEnded(worker);
      this.#context.logs.release(worker.id);
    });
    this.#stopping.add(left);
    this.#work.workerEnding(worker);
  }
}

const SURPLUS = 'the maximum number of workers was reduced';
const OUTDATED = 'the endpoint has a newer version';

function observe(worker: Worker): WorkerObservation {
  const { id, since, retired, debugged, used } = worker;
  return { id, since, state: stateOf(worker), retired: retired !== undefined, held: debugged || used };
}

function stateOf({ frozen, view }: Worker): WorkerObservation['state'] {
  if (frozen) return 'standby';
  switch (workerStatus(view)) {
    case 'UNHEALTHY':
      // An unhealthy worker receives no new work, but may finish its current work.
      return view.load > 0 ? 'busy' : 'unhealthy';
    case 'RUNNING':
      return 'busy';
    case 'IDLE':
      return 'idle';
    case 'THROTTLED':
      return 'throttled';
    default:
      return 'starting';
  }
}
