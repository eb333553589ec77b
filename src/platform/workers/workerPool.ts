import type { Clock } from '../time/clock.ts';
import {
  decideScaling,
  queueHorizon,
  STANDBY_MS,
  type Demand,
  type ScalingSettings,
  type WorkerObservation,
} from '../domain/autoscaler.ts';
import { workerPrice } from '../domain/workerPrices.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { workerStatus, type WorkerView } from '../domain/worker.ts';
import { newWorkerId } from '../ids.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import type { Store } from '../store/store.ts';
import type { HostCapacity } from './hostCapacity.ts';
import type { RunningWorker, Runtime } from '../runtimes/runtime.ts';
import type { RunSurroundings } from './runSurroundings.ts';
import { Worker, type LostWork } from './worker.ts';

export interface WorkerPoolContext extends RunSurroundings {
  readonly store: Store;
  readonly logs: WorkerLogs;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Tells the same time, and waits in real time: for what concerns processes and the network. */
  readonly realWaits: Clock;
  readonly capacity: HostCapacity;
  /** Time workers have to end by themselves, in ms. */
  readonly graceMs: number;
}

/** What gives the workers of a fleet something to do: the queue, or the load balancer. */
export interface WorkSource {
  /** What waits and what is being worked on; no more than that many of the waiting, the oldest, make a difference. */
  demand(horizon: number): Demand;
  /** A worker came up, became free, or went: there may be work to hand out. */
  changed(): void;
  /** The worker is given nothing more from now on, and is about to be ended. */
  ending(worker: Worker): void;
  /** The worker's process is gone: nothing reaches it any more. Called once, before anything about that is stored. */
  gone(worker: Worker): void;
  /**
   * Stores that what the process held is lost. Called inside the transaction that ends the usage of the process, and again if that
   * transaction fails: the worker may have another process by then.
   */
  lost?(worker: Worker, work: LostWork): void;
  /** The worker has fully stopped. */
  ended(worker: Worker): void;
  /** The worker's next process is up. */
  started?(worker: Worker, running: RunningWorker): void;
  /** The worker stands by from now on, its process frozen, or it does so no longer. */
  standsBy?(worker: Worker, frozen: boolean): void;
  /** Before a worker is ended: resolves when it has finished what it is working on, or has had its time for that. */
  letFinish?(worker: Worker): Promise<void>;
}

/** Maximum number of workers that are created in one turn of the event loop, by any number of decisions. */
const CREATED_IN_A_TURN = 10;
/** Workers whose process is being started at the same time. */
const STARTS_AT_ONCE = 4;
/** Workers that stand in line for a place on this machine. The rest of the line is a number. */
const LONGEST_LINE = 50;

/** The workers of one endpoint: as many as its scaling asks for, and of its present version. */
export class WorkerPool {
  readonly #context: WorkerPoolContext;
  readonly #work: WorkSource;
  readonly #workers = new Map<string, Worker>();
  /** Workers that are ending: no longer counted or listed, but waited for. */
  readonly #leaving = new Set<Promise<void>>();
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

  /** No work is handed out any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The workers that count: those that are ending or on standby do not. */
  active(): Worker[] {
    return this.#kept().filter(({ frozen }) => !frozen);
  }

  /** How many workers stand by, frozen. */
  get standby(): number {
    return this.#kept().filter(({ frozen }) => frozen).length;
  }

  /** How many workers the endpoint needs that have not been created yet, because the machine cannot start them now. */
  get waiting(): number {
    return this.#waiting;
  }

  #kept(): Worker[] {
    return [...this.#workers.values()].filter(({ stopping }) => !stopping);
  }

  views(): WorkerView[] {
    return this.active().map(({ view }) => view);
  }

  /** A worker that has not fully stopped. */
  find(workerId: string): Worker | undefined {
    return this.#workers.get(workerId);
  }

  /** Adapts the number of workers to the demand, and comes back when time alone would change the answer. */
  scale(): void {
    // Starting a worker reports a change, which must not decide a second time in the middle of the first.
    if (this.#scaling || this.#closed) return;
    this.#scaling = true;
    try {
      this.#cancelReconsider?.();
      for (const worker of this.#kept())
        if (worker.retired && worker.unfinished === 0) this.#stop(worker, worker.retired);
      const { clock } = this.#context;
      const now = clock.now();
      const settings = this.#settings();
      const demand = this.#work.demand(queueHorizon({ ...settings, max: Math.min(settings.max, this.#mostWorkers) }));
      const decision = decideScaling(settings, demand, this.#kept().map(observe), now);
      for (const worker of this.#named(decision.stop)) this.#stop(worker, 'scaled down');
      for (const worker of this.#named(decision.retire)) {
        worker.retire(SURPLUS);
        if (worker.unfinished === 0) this.#stop(worker, SURPLUS);
      }
      for (const worker of this.#named(decision.freeze)) worker.freeze();
      for (const worker of this.#named(decision.resume)) worker.thaw();
      this.#create(decision.start);
      if (decision.reconsiderAt !== undefined) {
        this.#cancelReconsider = clock.after(decision.reconsiderAt - now, () => this.#work.changed());
      }
    } finally {
      this.#scaling = false;
    }
  }

  /**
   * Creates workers as fast as the machine starts them. The rest wait as a number: a decision creates the next ones when a process has
   * started or a worker has left the line.
   */
  #create(missing: number): void {
    let left = missing;
    while (left > 0 && this.#createdInTurn < CREATED_IN_A_TURN && this.#mayCreate()) {
      this.#add();
      left--;
      if (this.#createdInTurn++ === 0) setImmediate(() => this.#nextTurn());
    }
    this.#waiting = left;
  }

  #nextTurn(): void {
    const isFull = this.#createdInTurn === CREATED_IN_A_TURN;
    this.#createdInTurn = 0;
    if (isFull && this.#waiting > 0) this.#work.changed();
  }

  #mayCreate(): boolean {
    const kept = this.#kept();
    return this.#context.capacity.hasPlace
      ? kept.filter(({ starting }) => starting).length < STARTS_AT_ONCE
      : kept.filter(({ view }) => view.throttled).length < LONGEST_LINE;
  }

  /** More workers than this never exist at the same time, whatever the endpoint asks for. */
  get #mostWorkers(): number {
    return this.#context.capacity.limit + LONGEST_LINE;
  }

  /**
   * The endpoint has changed. Workers of another container are outdated: those with nothing to do end at once, busy ones when they have
   * finished. All others go on as workers of the new version.
   */
  update(endpoint: EndpointRecord, { replaceWorkers }: { replaceWorkers: boolean }): void {
    this.#endpoint = endpoint;
    for (const worker of this.#kept()) {
      if (replaceWorkers) worker.retire(OUTDATED);
      else worker.adopt(endpoint);
    }
    this.#work.changed();
  }

  /** Ends the process of a worker and starts another in its place. */
  restart(worker: Worker, reason: string): void {
    worker.restart(reason);
    this.#work.ending(worker);
  }

  /** Ends a worker of which nothing is to be expected, and starts it again if something waits, or there would be too few. */
  replace(worker: Worker, reason: string): void {
    if (worker.replaced) return;
    const isNeeded = this.active().length <= this.#endpoint.workers.min || this.#work.demand(1).waitingSince.length > 0;
    if (isNeeded) this.restart(worker, reason);
    else this.#stop(worker, reason);
  }

  /** Ends all workers. */
  async close(reason: string): Promise<void> {
    this.#closed = true;
    this.#waiting = 0;
    this.#cancelReconsider?.();
    for (const worker of this.#kept()) this.#stop(worker, reason);
    await Promise.all(this.#leaving);
  }

  /** Starts a worker again that was scaled down, if there may be one more. */
  revive(workerId: string): void {
    if (this.#closed || this.active().length >= this.#endpoint.workers.max) return;
    const worker = this.#workers.get(workerId);
    if (worker) worker.thaw();
    else this.#add(workerId);
  }

  #settings(): ScalingSettings {
    const { scaling, workers, flashboot } = this.#endpoint;
    const { min, max, idleTimeout } = workers;
    const standbyMs = this.#context.runtime.canFreeze ? STANDBY_MS[flashboot] : 0;
    return { scaling, min, max, idleTimeoutMs: idleTimeout * 1000, standbyMs };
  }

  #named(ids: readonly string[]): Worker[] {
    return ids.map((id) => this.#workers.get(id)).filter((worker) => worker !== undefined);
  }

  #add(id = newWorkerId()): void {
    const work = this.#work;
    const worker = new Worker(id, {
      ...this.#context,
      endpoint: this.#endpoint,
      price: workerPrice(this.#endpoint),
      onChange: () => work.changed(),
      onGone: (gone) => work.gone(gone),
      onLost: (lost, held) => work.lost?.(lost, held),
      onStarted: work.started?.bind(work),
      letFinish: work.letFinish?.bind(work),
      standsBy: work.standsBy?.bind(work),
    });
    this.#workers.set(worker.id, worker);
  }

  #stop(worker: Worker, reason: string): void {
    const left = worker.stop(reason).then(() => {
      this.#workers.delete(worker.id);
      this.#leaving.delete(left);
      this.#work.ended(worker);
      this.#context.logs.release(worker.id);
    });
    this.#leaving.add(left);
    this.#work.ending(worker);
  }
}

const SURPLUS = 'the endpoint may have fewer workers';
const OUTDATED = 'the endpoint has a newer version';

function observe(worker: Worker): WorkerObservation {
  const { id, since, retired } = worker;
  return { id, since, state: stateOf(worker), retired: retired !== undefined };
}

function stateOf({ frozen, view }: Worker): WorkerObservation['state'] {
  if (frozen) return 'standby';
  switch (workerStatus(view)) {
    case 'UNHEALTHY':
      // Out of rotation, and still at work: what it has begun, it may finish.
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
