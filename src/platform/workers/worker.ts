import { writeSystemLine, type SystemLine } from '../../contract/systemLines.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { WorkerView } from '../domain/worker.ts';
import {
  createLifecycle,
  isDraining,
  isReplaced,
  isStopping,
  transition,
  viewOf,
  type Step,
  type WorkerEffect,
  type WorkerEvent,
  type WorkerLifecycle,
} from '../domain/workerLifecycle.ts';
import type { StartProgress } from '../domain/startProgress.ts';
import { newToken } from '../ids.ts';
import { isStorageFull } from '../storageFull.ts';
import type { Transaction } from '../store/transaction.ts';
import type { HostCapacity } from './hostCapacity.ts';
import { StartError, type RunningWorker } from '../runtimes/runtime.ts';
import { WorkerRun, type RunContext } from './workerRun.ts';

/** The work that a process held when it ended. */
export interface LostWork {
  /** Says how the process ended, as the end of a sentence. */
  readonly reason: string;
  /** Ids of jobs or requests. */
  readonly held: readonly string[];
  /** Whether the process ended on purpose, so that its end is no failure of the work. */
  readonly intended: boolean;
  readonly transaction: Transaction;
}

/** What a worker needs from around it. */
export interface WorkerContext extends RunContext {
  readonly capacity: HostCapacity;
  /** Time a process has to end by itself. */
  readonly graceMs: number;
  /** Something that scaling or the queue cares about has changed. */
  readonly onChange: (worker: Worker) => void;
  /** Called once when the process is gone, before anything about that is stored. */
  readonly onGone: (worker: Worker) => void;
  /** Called after that, inside the transaction that ends the usage of the process; again if that transaction fails. */
  readonly onLost: (worker: Worker, lost: LostWork) => void;
  /** Its next process is up; left out where nothing connects to it. */
  readonly onStarted?: ((worker: Worker, running: RunningWorker) => void) | undefined;
  /** Resolves when it has finished what it is working on, or has had its time for that; left out when that is not waited for. */
  readonly letFinish?: ((worker: Worker) => Promise<void>) | undefined;
  /** Its process has been frozen, or runs again; left out where nobody needs to know. */
  readonly standsBy?: ((worker: Worker, frozen: boolean) => void) | undefined;
}

/**
 * One worker: a process that is kept up, and started again after growing pauses when it fails, until the worker is stopped. The state
 * machine in workerLifecycle.ts decides; this class carries out its effects and reports their outcome as events.
 */
export class Worker {
  readonly id: string;
  /** Secret that the worker's calls carry. New for every worker, held in memory only. */
  readonly token = newToken();
  /** Ids of what it is working on: jobs, or requests. */
  readonly work = new Set<string>();
  /** Those of them that have no end of their own: connections. */
  readonly #lasting = new Set<string>();
  readonly #context: WorkerContext;
  readonly #stopped = Promise.withResolvers<void>();
  #life: WorkerLifecycle;
  #run: WorkerRun | undefined;
  /** Ends the start that is under way. */
  #startAbort = new AbortController();
  #leaveHost: () => void = () => undefined;
  #cancelPause: () => void = () => undefined;
  #cancelWatch: () => void = () => undefined;

  constructor(id: string, context: WorkerContext) {
    const { endpoint, clock, store } = context;
    this.id = id;
    this.#context = context;
    const now = clock.now();
    const created = createLifecycle({ id, endpointName: endpoint.name, version: endpoint.version }, now);
    this.#life = created.life;
    store.runs.insertWorker({ id, endpointId: endpoint.id, createdAt: now });
    this.#take(created);
  }

  /** As it was when the worker was created. */
  get endpoint(): EndpointRecord {
    return this.#context.endpoint;
  }

  /** When the present idleness or failure began. */
  get since(): number {
    return this.#life.since;
  }

  get stopping(): boolean {
    return isStopping(this.#life.state);
  }

  /** Its process is being started, and is not up yet. */
  get starting(): boolean {
    return this.#life.state.kind === 'starting';
  }

  /** It stands by: it counts as no worker and costs nothing, and is back at once. */
  get frozen(): boolean {
    return this.#life.state.kind === 'frozen';
  }

  /** Its process is about to end: it is being stopped, or replaced. */
  get replaced(): boolean {
    return isReplaced(this.#life.state);
  }

  /** Why it ends when it has finished what it is working on; undefined while it does not. */
  get retired(): string | undefined {
    return this.#life.retired;
  }

  /** It is given nothing more to do: it ends, or does not run. */
  get draining(): boolean {
    return isDraining(this.#life);
  }

  /** How much it is working on. */
  get load(): number {
    return this.work.size;
  }

  /** How much of it will come to an end, and is waited for when the worker is to go. */
  get unfinished(): number {
    return this.work.size - this.#lasting.size;
  }

  get view(): WorkerView {
    const { image, gpu } = this.#context.endpoint;
    const { id, load } = this;
    return viewOf(this.#life, { id, image, gpuCount: gpu ? (gpu.count ?? 1) : 0, load });
  }

  /** It has asked for a job: it is up and working. @param remark what its log is to say of it, once for each process */
  markReady(remark?: SystemLine): void {
    this.#dispatch({ kind: 'ready', remark });
  }

  /** It is up and cannot work: for the moment, because it starts again, or because something is wrong with it. */
  markNotReady(reason: string, { sick }: { sick: boolean }): void {
    this.#dispatch({ kind: 'notReady', reason, sick });
  }

  /** Writes a line to its system log. */
  note(line: SystemLine): void {
    this.#context.logs.append(this.id, 'system', writeSystemLine(line));
  }

  /** It has been given something to do. */
  begin(workId: string): void {
    this.work.add(workId);
  }

  /** What it has been given has turned out to be without an end of its own. */
  lasts(workId: string): void {
    if (this.work.has(workId)) this.#lasting.add(workId);
  }

  /** @param delivered a result came of it, which proves the worker healthy */
  finish(workId: string, delivered: boolean): void {
    if (delivered) this.#dispatch({ kind: 'delivered' });
    this.#lasting.delete(workId);
    if (this.work.delete(workId) && this.load === 0) this.#dispatch({ kind: 'idle' });
  }

  /** It goes on as a worker of the endpoint's new version, which has the same container. */
  adopt({ version }: EndpointRecord): void {
    this.#dispatch({ kind: 'adopted', version });
  }

  /** Nothing more to do for it. @param reason such as that it is outdated */
  retire(reason: string): void {
    this.#dispatch({ kind: 'retired', reason, busy: this.unfinished > 0 });
  }

  /** Puts it on standby. Only of use to a worker with nothing to do. @throws the store's error when the disk is full; nothing has changed */
  freeze(): void {
    const before = this.#life;
    try {
      this.#dispatch({ kind: 'freeze' });
    } catch (error) {
      this.#life = before;
      throw error;
    }
  }

  /** It is needed again. The machine may have no place for it, as for any other worker. */
  thaw(): void {
    this.#dispatch({ kind: 'thaw' });
  }

  /** Ends the process and starts another in its place, without holding it against the worker. */
  restart(reason: string): void {
    this.#dispatch({ kind: 'restart', reason });
  }

  /** Ends the process for good. Resolves when it has fully stopped. */
  stop(reason: string): Promise<void> {
    this.#dispatch({ kind: 'stop', reason });
    return this.#stopped.promise;
  }

  #dispatch(event: WorkerEvent): void {
    const step = transition(this.#life, event, this.#context.clock.now());
    if (step) this.#take(step);
  }

  #take({ life, effects }: Step): void {
    this.#life = life;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: WorkerEffect): void {
    const { clock, onChange, letFinish, graceMs, endpoint } = this.#context;
    switch (effect.kind) {
      case 'log':
        this.note(effect.line);
        break;
      case 'enterHost':
        this.#enterHost();
        break;
      case 'leaveHost':
        this.#leaveHost();
        break;
      case 'start':
        void this.#start();
        break;
      case 'abortStart':
        this.#startAbort.abort();
        break;
      case 'endProcess':
        void this.#run?.process.stop(graceMs);
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
        this.#cancelPause = clock.after(effect.ms, () => this.#dispatch({ kind: 'pauseOver' }));
        break;
      case 'cancelPause':
        this.#cancelPause();
        break;
      case 'finishWork':
        void Promise.resolve(letFinish?.(this)).then(() => this.#dispatch({ kind: 'workFinished' }));
        break;
      case 'changed':
        onChange(this);
        break;
      case 'stopped':
        this.#stopped.resolve();
        break;
    }
  }

  #enterHost(): void {
    const { capacity } = this.#context;
    const isAdmitted = capacity.hasPlace;
    this.#leaveHost = capacity.admit(() => {
      if (!isAdmitted) this.#dispatch({ kind: 'admitted' });
    });
    // Not before: what the worker does with its place may end with giving it back.
    this.#dispatch(isAdmitted ? { kind: 'admitted' } : { kind: 'queued', limit: capacity.limit });
  }

  async #start(): Promise<void> {
    const { entrypoint = [], cmd = [], image } = this.#context.endpoint;
    this.note({ kind: 'starting', command: [...entrypoint, ...cmd].join(' '), image });
    const { signal } = (this.#startAbort = new AbortController());
    let run: WorkerRun;
    try {
      const onProgress = (progress: StartProgress): void => this.#dispatch({ kind: 'progressed', progress });
      run = await WorkerRun.start(this, this.#context, { onProgress, signal });
    } catch (error) {
      if (error instanceof StartError || isStorageFull(error)) {
        this.#dispatch({ kind: 'startFailed', reason: (error as Error).message });
      } else if (signal.aborted) this.#dispatch({ kind: 'startAborted' });
      else throw error;
      return;
    }
    this.#run = run;
    void run.ended().then((end) => this.#dispatch({ kind: 'ended', ...end }));
    this.#context.onStarted?.(this, run.process);
    this.#dispatch({ kind: 'started', startedAt: run.startedAt, label: run.process.label });
  }

  #freeze(): void {
    this.#run?.freeze();
    this.#context.standsBy?.(this, true);
  }

  #thaw(): void {
    this.#run?.thaw();
    this.#context.standsBy?.(this, false);
  }

  #closeRun({ how, intended }: { how: string; intended: boolean }): void {
    const { onGone, onLost } = this.#context;
    this.#cancelWatch();
    const run = this.#run;
    this.#run = undefined;
    onGone(this);
    // Read now: while the transaction is retried, the next process takes work of its own.
    const lost = { reason: how, held: [...this.work], intended };
    run?.close((transaction) => onLost(this, { ...lost, transaction }));
  }
}
