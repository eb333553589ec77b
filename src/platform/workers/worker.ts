import type { SystemLine } from '../../contract/systemLines.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { StartProgress } from '../domain/startProgress.ts';
import type { WorkerView } from '../domain/worker.ts';
import type { Holder, Step, WorkerEffect, WorkerEvent } from '../domain/workerEvents.ts';
import { adoptedLifecycle, createLifecycle, transition } from '../domain/workerLifecycle.ts';
import { isDraining, isEnding, isStopping, viewOf, type WorkerLifecycle } from '../domain/workerState.ts';
import type { RunDebug } from '../runtimes/runSpec.ts';
import type { RunningWorker } from '../runtimes/runtime.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import { pause } from '../time/clock.ts';
import type { HostCapacity } from './hostCapacity.ts';
import { reservedGpus } from './runSpecOf.ts';
import { WorkerProcess } from './workerProcess.ts';
import { WorkerRecords, type RecordsContext } from './workerRecords.ts';
import type { AdoptableRun, RunContext } from './workerRun.ts';
import type { Demand } from '../domain/autoscaler.ts';
import type { Transaction } from '../store/store.ts';

/** The work that a process had when it ended. */
export interface LostWork {
  /** How the process ended, as a predicate such as `exited with code 1`. */
  readonly reason: string;
  /** IDs of jobs or requests. */
  readonly held: readonly string[];
  /** Whether the process was ended on purpose. Such an end does not count as a failure of the work. */
  readonly intended: boolean;
  readonly transaction: Transaction;
}

/** Source of work for the workers of a pool: a queue or a load balancer. */
export interface WorkSource {
  /** Returns the waiting and running work. Only the oldest `horizon` waiting items affect the decision. */
  demand(horizon: number): Demand;
  /** Called after a change of a worker that affects scaling or the queue: it comes up, becomes free, or stops. */
  changed(): void;
  /** Called when a worker is about to be ended. It receives no more work. */
  workerEnding(worker: Worker): void;
  /** Called once when the worker's process has ended or its start has failed, before that is stored. */
  processEnded(worker: Worker): void;
  /**
   * Stores that the work of the process is lost. Called after `processEnded`, inside the transaction that ends the usage of the process,
   * and again if that transaction fails. The worker may have another process by then.
   */
  workLost?(worker: Worker, work: LostWork): void;
  /** Called when the worker has fully stopped. */
  workerEnded(worker: Worker): void;
  /** Called when the worker's next process is up. */
  processStarted?(worker: Worker, running: RunningWorker): void;
  /** Called when the engine of the worker became unreachable, or is back. The worker may have lost its connections, too. */
  reachabilityChanged?(worker: Worker): void;
  /** Called when the worker's process was frozen or thawed. */
  standbyChanged?(worker: Worker, frozen: boolean): void;
  /** Called when a debugger begins or ceases to hold the worker. Its time limits do not apply in between. */
  debuggedChanged?(worker: Worker): void;
  /** Called before a worker is ended. Resolves once the worker has finished its work, or its time limit is exceeded. */
  drain?(worker: Worker): Promise<void>;
}

/** Shortest time from a failed start to the next one, in ms. */
const SHORTEST_PAUSE_MS = 1_000;

/** A process of an earlier platform, with the slot and the GPUs that it has. */
export interface Adoption {
  readonly run: AdoptableRun;
  readonly releaseSlot: () => void;
}

/** Dependencies of a worker. */
export interface WorkerContext extends RunContext, RecordsContext {
  readonly capacity: HostCapacity;
  /** Time that a process has to exit on its own, in ms. */
  readonly graceMs: number;
  /** The endpoint, which gives the worker its jobs or requests. */
  readonly work: WorkSource;
  /** Whether the worker reports the modules that its processes load. It is an additional one then. Default: no. */
  readonly profilesImports?: boolean | undefined;
  /** Whether the worker exists apart from the scaling of the endpoint. Default: no. */
  readonly additional?: boolean | undefined;
}

/**
 * A worker, which keeps a process running until the worker is stopped. After each failure, it pauses longer before it restarts the process.
 * The state machine in workerLifecycle.ts makes the decisions. This class executes its effects, and reports their outcome as events.
 */
export class Worker {
  readonly id: string;
  /** IDs of the jobs or requests in progress. */
  readonly work = new Set<string>();
  /** Upgraded connections in `work`, which have no time limit. */
  readonly #upgraded = new Set<string>();
  readonly #context: WorkerContext;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #records: WorkerRecords;
  readonly #process: WorkerProcess;
  #life: WorkerLifecycle;
  /** How the next process is started while debuggers hold the worker. */
  #debug: RunDebug | undefined;
  readonly #listeners = new Set<() => void>();
  /** UUIDs of the GPUs that are reserved for the worker together with its slot. */
  #gpus: readonly string[] = [];
  #releaseSlot: () => void = () => undefined;
  #cancelPause: () => void = () => undefined;
  #cancelWatch: () => void = () => undefined;

  /** Number of people who use the worker. */
  #users = 0;
  #endReason: string | undefined;
  /** Whether a process of an earlier platform is on standby again once it is taken over. It receives no work until then. */
  #wasFrozen = false;
  /** Whether the process runs on for the next platform. */
  #left = false;

  /** @param adoption process of an earlier platform that the worker takes over; default: it starts one */
  constructor(id: string, context: WorkerContext, adoption?: Adoption) {
    const { endpoint, clock, store, work } = context;
    const { id: endpointId, name: endpointName, version } = endpoint;
    this.id = id;
    this.#context = context;
    this.#records = new WorkerRecords(this, context);
    this.#process = new WorkerProcess(context, this.#records, {
      dispatch: (event) => this.#dispatch(event),
      onUp: (running) => {
        if (!this.stopping) this.#endReason = undefined;
        work.processStarted?.(this, running);
      },
      onReachabilityChanged: () => work.reachabilityChanged?.(this),
      loseWork: (how) => this.#loseWork(how),
    });
    const now = clock.now();
    if (adoption) {
      const { run, releaseSlot } = adoption;
      this.#releaseSlot = releaseSlot;
      this.#gpus = run.claim.gpus;
      // A load-balanced worker sends no requests. Its health check tells whether it is ready.
      this.#life = adoptedLifecycle({ version, ready: run.claim.peer !== undefined }, now);
      this.#measure();
      void this.#adopt(run);
      return;
    }
    const { life, effects } = createLifecycle({ id, endpointName, version }, now);
    this.#life = life;
    store.runs.insertWorker({ id, endpointId, createdAt: now });
    for (const effect of effects) this.#execute(effect);
  }

  /** Whether a request with this token from this address comes from the current process. See `WorkerProcess`. */
  authenticate(token: string, peer: string | undefined): boolean {
    return this.#process.authenticate(token, peer);
  }

  /** Configuration at the time the worker was created. */
  get endpoint(): EndpointRecord {
    return this.#context.endpoint;
  }

  /** Start of the current idle time or failure, in ms since the epoch. */
  get since(): number {
    return this.#life.since;
  }

  /** Version of the release that the worker belongs to. */
  get version(): number {
    return this.#life.version;
  }

  /** Why the last start failed, or how the process ended. Undefined if the worker does not pause after a failure. */
  get failure(): string | undefined {
    return this.#life.state.kind === 'paused' ? (this.#process.failure ?? 'the start failed') : undefined;
  }

  /** Progress of the start in progress. */
  get progress(): StartProgress | undefined {
    return this.#life.state.kind === 'starting' ? this.#life.state.progress : undefined;
  }

  get stopping(): boolean {
    return isStopping(this.#life.state);
  }

  get starting(): boolean {
    return this.#life.state.kind === 'starting';
  }

  /** Whether the worker is on standby. It then does not count as a worker, costs nothing, and resumes at once. */
  get frozen(): boolean {
    return this.#life.state.kind === 'frozen';
  }

  /** Whether the process is about to end, because the worker is being stopped or restarted. */
  get ending(): boolean {
    return isEnding(this.#life.state);
  }

  /** Whether the engine of the worker cannot be reached. */
  get unreachable(): boolean {
    return this.#life.unreachable !== undefined;
  }

  /** Whether a debugger holds the worker. Neither scaling nor a time limit ends it then. */
  get debugged(): boolean {
    return this.#life.debuggers > 0;
  }

  /** Whether the worker is neither counted nor replaced by scaling. */
  get additional(): boolean {
    return this.measured || this.#context.additional === true;
  }

  /** Whether the start of the worker is measured. It then is an additional worker, and receives no work. */
  get measured(): boolean {
    return this.#context.profilesImports === true;
  }

  /** Whether the process is up and has asked for work, or passed its health check. */
  get ready(): boolean {
    return this.view.ready;
  }

  /** The current process. Undefined while none is up. */
  get process(): RunningWorker | undefined {
    return this.#process.running;
  }

  /** Why the worker stops after its current work; undefined if it does not. */
  get retired(): string | undefined {
    return this.#life.retired;
  }

  /** Whether the worker receives no more work, because it is stopping or its process is not running. */
  get draining(): boolean {
    return isDraining(this.#life) || this.#wasFrozen || this.measured;
  }

  /** Number of jobs or requests in progress. */
  get load(): number {
    return this.work.size;
  }

  /** Number of jobs or requests that a stopping worker waits for. Upgraded connections are not among them. */
  get unfinished(): number {
    return this.work.size - this.#upgraded.size;
  }

  get view(): WorkerView {
    const { image, gpu } = this.#context.endpoint;
    const { id, load } = this;
    return viewOf(this.#life, { id, image, gpuCount: gpu ? (gpu.count ?? 1) : 0, gpus: this.#gpus, load });
  }

  /** Marks the worker as up and able to work. @param remark line for its log, written once per process */
  markReady(remark?: SystemLine): void {
    this.#dispatch({ kind: 'ready', remark });
  }

  /** Marks the worker as up but unable to work. @param options.sick true if the worker is unhealthy rather than starting */
  markNotReady(reason: string, { sick }: { sick: boolean }): void {
    this.#dispatch({ kind: 'notReady', reason, sick });
  }

  /** Writes a line to the worker's system log. */
  note(line: SystemLine): void {
    this.#records.note(line);
  }

  /** Adds a job or request to the work of the worker. */
  begin(workId: string): void {
    this.work.add(workId);
    this.#records.workBegan();
    this.#measure();
  }

  /** Marks a request as an upgraded connection, which has no time limit. */
  markUpgraded(workId: string): void {
    if (this.work.has(workId)) this.#upgraded.add(workId);
  }

  /**
   * Removes a job or request from the work of the worker.
   *
   * @param delivered whether there was a result, which proves that the worker is healthy
   */
  finish(workId: string, delivered: boolean): void {
    if (delivered) this.#dispatch({ kind: 'delivered' });
    this.#upgraded.delete(workId);
    if (this.work.delete(workId) && this.load === 0) this.#dispatch({ kind: 'idle' });
    this.#measure();
  }

  /** Assigns the worker to a new version of the endpoint with the same container. */
  adopt({ version }: EndpointRecord): void {
    this.#dispatch({ kind: 'adopted', version });
  }

  /** Gives the worker no more work. The pool stops it after its current work. @param reason such as a newer version of the endpoint */
  retire(reason: string): void {
    this.#dispatch({ kind: 'retired', reason, busy: this.unfinished > 0 });
  }

  /** Puts an idle worker on standby. @throws the store's error on a full disk; nothing has changed then */
  freeze(): void {
    const before = this.#life;
    try {
      this.#dispatch({ kind: 'freeze' });
    } catch (error) {
      this.#life = before;
      throw error;
    }
  }

  /** Resumes a worker from standby. Like any other worker, it may have to wait for a free slot on the machine. */
  thaw(): void {
    this.#dispatch({ kind: 'thaw' });
  }

  /** Ends the process and starts another one. This does not count as a failure of the worker. */
  restart(reason: string): void {
    this.#endReason = reason;
    this.#dispatch({ kind: 'restart', reason });
  }

  /** Ends the pause after a failure, because its cause may be gone. */
  retryNow(): void {
    if (this.#life.state.kind !== 'paused') return;
    this.#cancelPause();
    this.#dispatch({ kind: 'pauseOver' });
  }

  /** Records the modules that the process has loaded until it was ready, if they are measured. */
  recordImports(): void {
    const imports = this.#process.imports(this.#records.readyAt);
    if (imports) this.#records.trace({ kind: 'imported', imports });
  }

  /** Keeps the worker for a debugger, or while it is measured. Each call requires one call of `release`. */
  hold(debug?: RunDebug): void {
    this.#debug = debug;
    this.#dispatch({ kind: 'held', by: this.#holder });
    this.#context.work.debuggedChanged?.(this);
  }

  /** Sets how the next process is started, while a debugger holds the worker. */
  startUnder(debug: RunDebug): void {
    if (this.debugged) this.#debug = debug;
  }

  get #holder(): Holder {
    return this.measured ? 'measurement' : 'debugger';
  }

  /** Releases the worker from one debugger. After the last one, the worker ends once it has finished its work. */
  release(): void {
    this.#dispatch({ kind: 'released', by: this.#holder });
    if (!this.debugged) this.#debug = undefined;
    this.#context.work.debuggedChanged?.(this);
  }

  /** Keeps scaling from ending the worker, because a person uses it. Returns a function that ends this, to be called once. */
  use(): () => void {
    this.#users++;
    return () => {
      this.#users--;
      this.#context.work.changed();
    };
  }

  /** Whether a person uses the worker. */
  get used(): boolean {
    return this.#users > 0;
  }

  /** Why the worker ends or has ended; undefined if it was not asked to. */
  get endReason(): string | undefined {
    return this.#endReason ?? this.retired;
  }

  /** Calls back after each change of the state. Returns a function that ends this. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets the process run on for the next platform. Returns false if it must be stopped, because the next platform cannot adopt it. */
  leave(): boolean {
    const { kind } = this.#life.state;
    if (kind === 'starting') this.#left = this.#process.leaveAdoption();
    else this.#left = (kind === 'up' || kind === 'frozen') && !this.ending && this.#process.leave();
    return this.#left;
  }

  /** Ends the process permanently. Resolves once the worker has fully stopped. */
  stop(reason: string): Promise<void> {
    this.#endReason = reason;
    this.#dispatch({ kind: 'stop', reason });
    return this.#stopped.promise;
  }

  #dispatch(event: WorkerEvent): void {
    if (this.#left) return;
    const step = transition(this.#life, event, this.#context.clock.now());
    if (step) this.#apply(step);
  }

  #apply({ life, effects }: Step): void {
    this.#life = life;
    for (const effect of effects) this.#execute(effect);
    this.#measure();
  }

  #measure(): void {
    this.#records.measure(this.#life, { load: this.load, hasRun: this.process !== undefined });
  }

  #execute(effect: WorkerEffect): void {
    const { clock, work, graceMs, endpoint } = this.#context;
    switch (effect.kind) {
      case 'log':
        this.note(effect.line);
        break;
      case 'requestSlot':
        this.#requestSlot();
        break;
      case 'releaseSlot':
        this.#releaseSlot();
        break;
      case 'start':
        void this.#process.start({ id: this.id, gpus: this.#gpus, debug: this.#debug, profilesImports: this.measured });
        break;
      case 'abortStart':
        this.#process.abortStart();
        break;
      case 'endProcess':
        this.#process.stop(graceMs);
        break;
      case 'freeze':
        this.#process.freeze();
        work.standbyChanged?.(this, true);
        break;
      case 'thaw':
        this.#process.thaw();
        work.standbyChanged?.(this, false);
        break;
      case 'closeRun':
        this.#closeRun(effect);
        break;
      case 'watchStart': {
        const isServer = endpoint.type === 'LOAD_BALANCER';
        this.#cancelWatch = clock.after(effect.ms, () => this.#dispatch({ kind: 'overdue', isServer }));
        break;
      }
      case 'pause':
        this.#pause(effect);
        break;
      case 'cancelPause':
        this.#cancelPause();
        break;
      case 'finishWork':
        void Promise.resolve(work.drain?.(this)).then(() => this.#dispatch({ kind: 'workFinished' }));
        break;
      case 'changed':
        work.changed();
        this.#tellListeners();
        break;
      case 'stopped':
        this.#records.trace({ kind: 'stopped' });
        this.#context.runtime.workerStopped?.(this.id);
        this.#stopped.resolve();
        this.#tellListeners();
        break;
    }
  }

  #tellListeners(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #requestSlot(): void {
    const { capacity } = this.#context;
    const needed = reservedGpus(this.#context);
    const wait = capacity.waitFor(needed);
    const release = capacity.admit((gpus) => {
      this.#gpus = gpus;
      if (wait) this.#dispatch({ kind: 'admitted' });
    }, needed);
    this.#releaseSlot = () => {
      this.#gpus = [];
      release();
    };
    // Dispatched after the assignment, because the consequences of the event may call `#releaseSlot`.
    this.#dispatch(wait ? { kind: 'queued', wait } : { kind: 'admitted' });
  }

  #pause({ ms, forEngine }: { ms: number; forEngine: boolean }): void {
    const over = new AbortController();
    const cancel = this.#context.clock.after(ms, () => {
      over.abort();
      this.#dispatch({ kind: 'pauseOver' });
    });
    this.#cancelPause = () => {
      cancel();
      over.abort();
    };
    if (forEngine) void this.#awaitEngine(over.signal);
  }

  /** Ends the pause once the engine answers, because the failure has the cause that is gone. */
  async #awaitEngine(signal: AbortSignal): Promise<void> {
    const { runtime, realClock, endpoint } = this.#context;
    if (!runtime.untilReachable) return;
    await Promise.all([
      runtime.untilReachable(endpoint.image, signal),
      // An engine can answer a probe, and still fail each start.
      pause(realClock, SHORTEST_PAUSE_MS, signal),
    ]);
    if (!signal.aborted) this.#dispatch({ kind: 'engineBack' });
  }

  /** Takes over the process of an earlier platform. */
  async #adopt(earlier: AdoptableRun): Promise<void> {
    const { frozen } = earlier.claim;
    this.#wasFrozen = frozen;
    await this.#process.adopt(earlier, () => {
      if (this.ready) this.#records.trace({ kind: 'ready' });
      if (frozen) retryWhileFull(this.#context.realClock, () => this.freeze());
    });
    this.#wasFrozen = false;
  }

  #loseWork({ intended }: { readonly intended: boolean }): void {
    const { work, store, realClock } = this.#context;
    work.processEnded(this);
    const lost = { reason: 'was lost during its start', held: [...this.work], intended };
    if (lost.held.length === 0) return;
    retryWhileFull(realClock, () => {
      store.transaction((transaction) => work.workLost?.(this, { ...lost, transaction }));
    });
  }

  #closeRun({ how, intended }: { how: string; intended: boolean }): void {
    const { work, store, clock, endpoint } = this.#context;
    this.#cancelWatch();
    const run = this.#process.detach();
    work.processEnded(this);
    // Read now, because the next process may take work while the transaction is retried.
    const lost = { reason: how, held: [...this.work], intended: intended || run?.hadEnded === true };
    const crash = { endpointId: endpoint.id, workerId: this.id, release: this.version, at: clock.now() };
    run?.close((transaction) => {
      if (!lost.intended) store.metrics.addCrash(crash);
      work.workLost?.(this, { ...lost, transaction });
    });
  }
}
