import { writeSystemLine, type SystemLine } from '../../contract/systemLines.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { WorkerView } from '../domain/worker.ts';
import type { Holder, Step, WorkerEffect, WorkerEvent } from '../domain/workerEvents.ts';
import { tracedLine, type WorkerTraceEvent, type PulledLayer } from '../domain/workerTraceEvent.ts';
import { adoptedLifecycle, createLifecycle, transition } from '../domain/workerLifecycle.ts';
import { workerRate } from '../domain/usage.ts';
import {
  isDraining,
  isEnding,
  isReady,
  isStopping,
  measuredState,
  viewOf,
  type WorkerLifecycle,
} from '../domain/workerState.ts';
import type { EndpointMeter } from '../metrics/endpointMeter.ts';
import type { StartProgress } from '../domain/startProgress.ts';
import { newToken } from '../ids.ts';
import { isStorageFull } from '../storageFull.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import type { Transaction } from '../store/store.ts';
import type { WorkerEvents } from '../traces/workerEvents.ts';
import type { HostCapacity } from './hostCapacity.ts';
import { pause } from '../time/clock.ts';
import type { RunDebug } from '../runtimes/runSpec.ts';
import { StartError, type RunningWorker, type StartOptions } from '../runtimes/runtime.ts';
import { reservedGpus } from './runSpecOf.ts';
import { WorkerRun, type AdoptableRun, type RunContext } from './workerRun.ts';

/** Shortest time from a failed start to the next one, in ms. */
const SHORTEST_PAUSE_MS = 1_000;

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

/** A process of an earlier platform, with the slot and the GPUs that it has. */
export interface Adoption {
  readonly run: AdoptableRun;
  readonly releaseSlot: () => void;
}

/** Dependencies of a worker. */
export interface WorkerContext extends RunContext {
  readonly capacity: HostCapacity;
  /** Measures the worker. */
  readonly meter: EndpointMeter;
  /** Records what traces show of the worker. */
  readonly events: Pick<WorkerEvents, 'record'>;
  /** Time that a process has to exit on its own, in ms. */
  readonly graceMs: number;
  /** Called after a change that affects scaling or the queue. */
  readonly onChange: (worker: Worker) => void;
  /** Called once when the process has ended or its start has failed, before that is stored. */
  readonly onProcessEnded: (worker: Worker) => void;
  /** Called after `onProcessEnded`, inside the transaction that stores the end of the process. Called again if that transaction fails. */
  readonly onWorkLost: (worker: Worker, lost: LostWork) => void;
  /** Called when the next process is up; omitted if nothing connects to it. */
  readonly onProcessStarted?: ((worker: Worker, running: RunningWorker) => void) | undefined;
  /** Called when the engine of the worker became unreachable, or is back; omitted if nothing depends on it. */
  readonly onReachabilityChanged?: ((worker: Worker) => void) | undefined;
  /** Resolves once the worker has finished its work, or its time limit is exceeded; omitted if nothing waits for the work. */
  readonly drain?: ((worker: Worker) => Promise<void>) | undefined;
  /** Called when a debugger begins or ceases to hold the worker; omitted if nothing depends on it. */
  readonly onDebuggedChanged?: ((worker: Worker) => void) | undefined;
  /** Whether the worker reports the modules that its processes load. It is an additional one then. Default: no. */
  readonly profilesImports?: boolean | undefined;
  /** Whether the worker exists apart from the scaling of the endpoint. Default: no. */
  readonly additional?: boolean | undefined;
  /** Called when the process was frozen or thawed; omitted if nothing depends on it. */
  readonly onStandbyChanged?: ((worker: Worker, frozen: boolean) => void) | undefined;
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
  #life: WorkerLifecycle;
  #run: WorkerRun | undefined;
  /** How the next process is started while debuggers hold the worker. */
  #debug: RunDebug | undefined;
  readonly #listeners = new Set<() => void>();
  /** Secret in the requests of the current process, from before its start until its end. */
  #token: string | undefined;
  /** Address from which the current process has sent its first request. */
  #peer: string | undefined;
  /** UUIDs of the GPUs that are reserved for the worker together with its slot. */
  #gpus: readonly string[] = [];
  /** Aborts the start in progress. */
  #startAbort = new AbortController();
  #releaseSlot: () => void = () => undefined;
  /** Start of the process that is not ready yet, in ms since the epoch. */
  #coldSince: number | undefined;
  /** When the worker was last ready, in ms since the epoch. */
  #readyAt: number | undefined;
  /** Whether the next work is the first one since the worker became ready or resumed. */
  #isFresh = false;
  #cancelPause: () => void = () => undefined;
  #cancelWatch: () => void = () => undefined;

  #failure: string | undefined;
  /** Number of people who use the worker. */
  #users = 0;
  #endReason: string | undefined;
  /** Whether a process of an earlier platform is on standby again once it is taken over. It receives no work until then. */
  #wasFrozen = false;
  /** Whether a process of an earlier platform is being taken over. */
  #isAdopting = false;
  /** Whether the process runs on for the next platform. */
  #left = false;

  /** @param adoption process of an earlier platform that the worker takes over; default: it starts one */
  constructor(id: string, context: WorkerContext, adoption?: Adoption) {
    const { endpoint, clock, store } = context;
    const { id: endpointId, name: endpointName, version } = endpoint;
    this.id = id;
    this.#context = context;
    const now = clock.now();
    if (adoption) {
      const { run, releaseSlot } = adoption;
      this.#releaseSlot = releaseSlot;
      this.#gpus = run.claim.gpus;
      this.#token = run.claim.token;
      this.#peer = run.claim.peer;
      // A load-balanced worker sends no requests. Its health check tells whether it is ready.
      this.#life = adoptedLifecycle({ version, ready: run.claim.peer !== undefined }, now);
      this.#isAdopting = true;
      this.#measure();
      void this.#adopt(run);
      return;
    }
    const { life, effects } = createLifecycle({ id, endpointName, version }, now);
    this.#life = life;
    store.runs.insertWorker({ id, endpointId, createdAt: now });
    for (const effect of effects) this.#execute(effect);
  }

  /**
   * Returns whether the token belongs to the current process of the worker. An earlier process may still run, such as one on a lost node. Its
   * requests are refused. So are those with the token from another address than the first request, because another worker has read the token
   * then. The address of the first request is used, because a proxy or another machine can hide the address of a container.
   */
  authenticate(token: string, peer: string | undefined): boolean {
    if (this.#token === undefined || this.#token !== token) return false;
    if (this.#peer === undefined && peer !== undefined) {
      this.#peer = peer;
      this.#run?.bind(peer);
    }
    return this.#peer === peer;
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
    return this.#life.state.kind === 'paused' ? (this.#failure ?? 'the start failed') : undefined;
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
    return this.#run?.process;
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
    const { endpoint, logs } = this.#context;
    logs.append({ workerId: this.id, endpointId: endpoint.id }, 'system', writeSystemLine(line));
    const event = tracedLine(line);
    if (event) this.#trace(event);
  }

  #trace(event: WorkerTraceEvent): void {
    const { endpoint, events, clock } = this.#context;
    const at = clock.now();
    if (event.kind === 'ready' || event.kind === 'resumed') this.#isFresh = true;
    if (event.kind === 'ready') this.#readyAt = at;
    events.record({ endpointId: endpoint.id, workerId: this.id, release: this.version, at, event });
  }

  /** Adds a job or request to the work of the worker. */
  begin(workId: string): void {
    this.work.add(workId);
    if (this.#isFresh) {
      this.#isFresh = false;
      this.#trace({ kind: 'begun' });
    }
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
    const imports = this.#run?.imports(this.#readyAt);
    if (imports) this.#trace({ kind: 'imported', imports });
  }

  /** Keeps the worker for a debugger, or while it is measured. Each call requires one call of `release`. */
  hold(debug?: RunDebug): void {
    this.#debug = debug;
    this.#dispatch({ kind: 'held', by: this.#holder });
    this.#context.onDebuggedChanged?.(this);
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
    this.#context.onDebuggedChanged?.(this);
  }

  /** Keeps scaling from ending the worker, because a person uses it. Returns a function that ends this, to be called once. */
  use(): () => void {
    this.#users++;
    return () => {
      this.#users--;
      this.#context.onChange(this);
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
    if (this.#isAdopting && kind === 'starting') {
      this.#left = true;
      this.#startAbort.abort();
    } else this.#left = (kind === 'up' || kind === 'frozen') && !this.ending && this.#run?.leave() === true;
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

  /** Measures the state of the worker, and how long its process has taken to become ready. */
  #measure(): void {
    const { meter, clock, price, endpoint } = this.#context;
    const { state, version: release } = this.#life;
    if (state.kind === 'stopped') {
      meter.setWorker(this.id, undefined);
      return;
    }
    if (this.#coldSince !== undefined && isReady(state)) {
      // A measured start takes longer than others.
      if (!this.measured) meter.coldStart(release, clock.now() - this.#coldSince);
      this.#coldSince = undefined;
    }
    const isCharged = this.#run !== undefined && state.kind !== 'frozen' && state.kind !== 'waiting';
    const nanoUsdPerSecond = isCharged ? workerRate({ ...price, diskGb: endpoint.disk ?? 0 }) : 0;
    meter.setWorker(this.id, { release, state: measuredState(this.#life, this.load), nanoUsdPerSecond });
  }

  #execute(effect: WorkerEffect): void {
    const { clock, onChange, drain, graceMs, endpoint } = this.#context;
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
        void this.#start();
        break;
      case 'abortStart':
        this.#startAbort.abort();
        break;
      case 'endProcess':
        this.#run?.stop(graceMs);
        break;
      case 'freeze':
        this.#freeze();
        break;
      case 'thaw':
        this.#thaw();
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
        void Promise.resolve(drain?.(this)).then(() => this.#dispatch({ kind: 'workFinished' }));
        break;
      case 'changed':
        onChange(this);
        this.#tellListeners();
        break;
      case 'stopped':
        this.#trace({ kind: 'stopped' });
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

  async #start(): Promise<void> {
    const { entrypoint = [], cmd = [], image } = this.#context.endpoint;
    const command = [...entrypoint, ...cmd].join(' ') || 'the command of the image';
    this.note({ kind: 'starting', command, image });
    const { signal } = (this.#startAbort = new AbortController());
    this.#coldSince = this.#context.clock.now();
    const token = (this.#token = newToken());
    this.#peer = undefined;
    let run: WorkerRun;
    try {
      const onProgress = (progress: StartProgress): void => {
        if (progress.kind === 'placed') this.#trace({ kind: 'placed' });
        this.#dispatch({ kind: 'progressed', progress });
      };
      const onLayers = (layers: readonly PulledLayer[]): void => this.#trace({ kind: 'pulled', layers: [...layers] });
      const onSpawned = (): void => this.#trace({ kind: 'started' });
      const owner = { id: this.id, token, gpus: this.#gpus, debug: this.#debug, profilesImports: this.measured };
      const onReachable = this.#onReachable(token);
      const onRemark = (line: SystemLine): void => this.note(line);
      const reports = { onProgress, onRemark, onLayers, onSpawned, onReachable };
      run = await WorkerRun.start(owner, this.#context, { ...reports, signal });
    } catch (error) {
      this.#token = undefined;
      if (error instanceof StartError || isStorageFull(error)) {
        const problem = error instanceof StartError ? error.problem : undefined;
        this.#loseWork({ intended: false });
        this.#failure = (error as Error).message;
        this.#dispatch({ kind: 'startFailed', reason: this.#failure, problem });
      } else if (signal.aborted) {
        this.#loseWork({ intended: true });
        this.#dispatch({ kind: 'startAborted' });
      } else throw error;
      return;
    }
    this.#follow(run, { adopted: false });
  }

  /** Takes over the process of an earlier platform. Starts another one if that is not possible. */
  async #adopt(earlier: AdoptableRun): Promise<void> {
    const { token, frozen } = earlier.claim;
    const { signal } = this.#startAbort;
    this.#wasFrozen = frozen;
    const options = { onReachable: this.#onReachable(token), signal };
    const run = await WorkerRun.adopt(earlier, this.#context, options).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (run) {
      this.#follow(run, { adopted: true });
      if (frozen) retryWhileFull(this.#context.realClock, () => this.freeze());
    } else if (!this.#left) {
      await WorkerRun.end(earlier, this.#context);
      this.#token = undefined;
      this.#loseWork({ intended: true });
      this.#dispatch({ kind: 'notAdopted' });
    }
    this.#wasFrozen = false;
    this.#isAdopting = false;
  }

  #follow(run: WorkerRun, { adopted }: { adopted: boolean }): void {
    this.#run = run;
    if (!this.stopping) this.#endReason = undefined;
    if (!adopted && this.#peer !== undefined) run.bind(this.#peer);
    void run.ended().then((end) => {
      this.#failure = [`the process ${end.how}`, ...end.lastLines.slice(-1)].join(': ');
      this.#dispatch({ kind: 'ended', ...end });
    });
    this.#context.onProcessStarted?.(this, run.process);
    this.#dispatch({ kind: 'started', startedAt: run.startedAt, label: run.process.label, adopted });
    if (adopted && this.ready) this.#trace({ kind: 'ready' });
  }

  #onReachable(token: string): StartOptions['onReachable'] {
    return (reason) => {
      // The process of an earlier run does not concern the worker.
      if (this.#token !== token) return;
      this.#dispatch(reason === undefined ? { kind: 'reachable' } : { kind: 'unreachable', reason });
      this.#context.onReachabilityChanged?.(this);
    };
  }

  /** Gives up the work of a process that took work before its start failed, such as one whose node was lost before it reported the start. */
  #loseWork({ intended }: { intended: boolean }): void {
    const { onProcessEnded, onWorkLost } = this.#context;
    onProcessEnded(this);
    const lost = { reason: 'was lost during its start', held: [...this.work], intended };
    if (lost.held.length > 0) this.#inTransaction((transaction) => onWorkLost(this, { ...lost, transaction }));
  }

  /** Stores changes in one transaction. On a full disk, all of it is retried. */
  #inTransaction(store: (transaction: Transaction) => void): void {
    const { store: stored, realClock } = this.#context;
    retryWhileFull(realClock, () => {
      stored.transaction(store);
    });
  }

  #freeze(): void {
    this.#run?.freeze();
    this.#context.onStandbyChanged?.(this, true);
  }

  #thaw(): void {
    this.#run?.thaw();
    this.#context.onStandbyChanged?.(this, false);
  }

  #closeRun({ how, intended }: { how: string; intended: boolean }): void {
    const { onProcessEnded, onWorkLost, store, clock, endpoint } = this.#context;
    this.#cancelWatch();
    const run = this.#run;
    this.#run = undefined;
    this.#token = undefined;
    onProcessEnded(this);
    // Read now, because the next process may take work while the transaction is retried.
    const lost = { reason: how, held: [...this.work], intended: intended || run?.hadEnded === true };
    const crash = { endpointId: endpoint.id, workerId: this.id, release: this.version, at: clock.now() };
    run?.close((transaction) => {
      if (!lost.intended) store.metrics.addCrash(crash);
      onWorkLost(this, { ...lost, transaction });
    });
  }
}
