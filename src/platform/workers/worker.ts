import type { EndpointRecord } from '../domain/endpoint.ts';
import { restartPause, type WorkerView } from '../domain/worker.ts';
import { newToken } from '../ids.ts';
import { isStorageFull } from '../store/storageFull.ts';
import type { Transaction } from '../store/transaction.ts';
import type { HostCapacity } from './hostCapacity.ts';
import { StartError } from '../runtimes/runtime.ts';
import type { WorkerServer } from '../runtimes/workerEnvironment.ts';
import { WorkerRun, type RunContext, type RunEnd } from './workerRun.ts';

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
  /** Where its next process is to serve HTTP; left out for a worker that serves none. @throws StartError */
  readonly serverOf?: ((worker: Worker) => Promise<WorkerServer>) | undefined;
  /** Resolves when it has finished what it is working on, or has had its time for that; left out when that is not waited for. */
  readonly letFinish?: ((worker: Worker) => Promise<void>) | undefined;
  /** Its process has been frozen, or runs again; left out where nobody needs to know. */
  readonly standsBy?: ((worker: Worker, frozen: boolean) => void) | undefined;
}

/** A process that was up that long was healthy, whatever came before it. */
const HEALTHY_AFTER_MS = 300_000;

/** A process that is not ready by then is remarked on, in ms: it may still load a model, or never have meant to serve. */
const SLOW_START_MS = 60_000;

/** One worker: a process that is kept up, started again after growing pauses when it fails, until the worker is stopped. */
export class Worker {
  readonly id: string;
  /** Secret that the worker's calls carry. New for every worker, held in memory only. */
  readonly token = newToken();
  /** When the present idleness, or failure, began. */
  since: number;
  /** Ids of what it is working on: jobs, or requests. */
  readonly work = new Set<string>();
  /** Those of them that have no end of their own: connections. */
  readonly #lasting = new Set<string>();
  readonly #context: WorkerContext;
  /** This machine has a place for it. */
  #admitted = false;
  #leaveHost: () => void = () => undefined;
  /** It stands by: scaled down, its process kept but not running. */
  #frozen = false;
  #run: WorkerRun | undefined;
  /** Resolves when the end of the present process has been dealt with. */
  #runOver: Promise<void> | undefined;
  #starting: Promise<void> | undefined;
  #ready = false;
  /** It is up, and says itself that it cannot work. */
  #sick = false;
  #failures = 0;
  #stopping: Promise<void> | undefined;
  #version: number;
  #retired: string | undefined;
  /** The process is being replaced on purpose: its end is no failure. */
  #restarting = false;
  #cancelPause: (() => void) | undefined;

  constructor(id: string, context: WorkerContext) {
    this.id = id;
    this.#context = context;
    this.#version = context.endpoint.version;
    this.since = context.clock.now();
    context.store.runs.insertWorker({ id, endpointId: context.endpoint.id, createdAt: this.since });
    this.#system(`create worker ${id} for endpoint ${context.endpoint.name}`);
    this.#enterHost(() => this.#start());
  }

  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Its process is being started, and is not up yet. */
  get starting(): boolean {
    return this.#starting !== undefined;
  }

  /** It stands by: it counts as no worker and costs nothing, and is back at once. */
  get frozen(): boolean {
    return this.#frozen;
  }

  /** Its process is about to end: it is being stopped, or replaced. */
  get replaced(): boolean {
    return this.stopping || this.#restarting;
  }

  /** Why it ends when it has finished what it is working on; undefined while it does not. */
  get retired(): string | undefined {
    return this.#retired;
  }

  /** It is given nothing more to do: it ends, or does not run. */
  get draining(): boolean {
    return this.replaced || this.#retired !== undefined || this.#frozen || !this.#admitted;
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
    return {
      id: this.id,
      version: this.#version,
      image,
      gpuCount: gpu ? (gpu.count ?? 1) : 0,
      startedAt: this.#run?.startedAt,
      throttled: !this.#admitted,
      ready: this.#ready,
      failed: (this.#failures > 0 || this.#sick) && !this.#ready,
      load: this.load,
    };
  }

  /** It has asked for a job: it is up and working. @param remark what its log is to say of it, once for each process */
  markReady(remark?: string): void {
    // Its process may ask before we have been told that it runs.
    if (this.#ready || (!this.#run && !this.#starting)) return;
    this.#ready = true;
    this.#sick = false;
    this.since = this.#context.clock.now();
    this.#system('worker is ready');
    if (remark !== undefined) this.#system(remark);
    this.#context.onChange(this);
  }

  /** It is up and cannot work: for the moment, because it starts again, or because something is wrong with it. */
  markNotReady(reason: string, { sick }: { sick: boolean }): void {
    if (!this.#run || this.#frozen) return;
    this.#ready = false;
    this.#sick = sick;
    this.since = this.#context.clock.now();
    this.#system(`worker is not ready: ${reason}`);
    this.#context.onChange(this);
  }

  /** Writes a line to its system log. */
  note(line: string): void {
    this.#system(line);
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
    if (delivered) this.#failures = 0;
    this.#lasting.delete(workId);
    if (this.work.delete(workId) && this.load === 0) this.since = this.#context.clock.now();
  }

  /** It goes on as a worker of the endpoint's new version, which has the same container. */
  adopt({ version }: EndpointRecord): void {
    if (!this.#retired) this.#version = version;
  }

  /** Nothing more to do for it. @param reason such as that it is outdated */
  retire(reason: string): void {
    if (this.#retired) return;
    this.#retired = reason;
    if (this.unfinished > 0) this.#system(`${reason}: the worker ends when it has finished its work`);
  }

  /** Puts it on standby. Only of use to a worker with nothing to do. */
  freeze(): void {
    if (!this.#run || this.draining) return;
    this.#run.freeze();
    this.#frozen = true;
    this.since = this.#context.clock.now();
    this.#leaveHost();
    this.#context.standsBy?.(this, true);
    this.#system('scaled down: the process is frozen, for a fast start (FlashBoot)');
  }

  /** It is needed again. The machine may have no place for it, as for any other worker. */
  thaw(): void {
    if (!this.#frozen || this.stopping) return;
    this.#frozen = false;
    this.#enterHost(() => {
      if (this.#run) this.#resume(this.#run);
      else this.#start();
    });
  }

  #resume(run: WorkerRun): void {
    run.thaw();
    this.#context.standsBy?.(this, false);
    this.#system('resumed from standby');
    this.#context.onChange(this);
  }

  /** Ends the process and starts another in its place, without holding it against the worker. */
  restart(reason: string): void {
    if (this.replaced || !(this.#run ?? this.#starting)) return;
    this.#restarting = true;
    this.#system(`restart worker: ${reason}`);
    const stop = (): void => void this.#run?.process.stop(this.#context.graceMs);
    // A process may speak before its start is noted here.
    if (this.#run) stop();
    else void this.#starting?.then(stop);
  }

  /** Ends the process for good. Resolves when it has fully stopped. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#stop(reason);
    return this.#stopping;
  }

  async #stop(reason: string): Promise<void> {
    this.#cancelPause?.();
    // At once: a place that becomes free from now on is not for it, or nobody would end what it starts there.
    if (!this.#admitted) this.#leaveHost();
    this.#system(`stop worker: ${reason}`);
    await this.#starting;
    await this.#context.letFinish?.(this);
    await this.#run?.process.stop(this.#context.graceMs);
    await this.#runOver;
    this.#leaveHost();
  }

  /** Calls back when this machine has a place for it. */
  #enterHost(onAdmitted: () => void): void {
    const { capacity, clock } = this.#context;
    this.#admitted = false;
    this.#leaveHost = capacity.admit(() => {
      this.#admitted = true;
      if (!this.view.failed) this.since = clock.now();
      onAdmitted();
    });
    // Set by the callback when there is a place now.
    if (!this.view.throttled) return;
    this.#system(`this machine runs as many workers as it may (${capacity.limit}); waiting for a place`);
  }

  #start(): void {
    this.#starting = this.#startRun().finally(() => (this.#starting = undefined));
  }

  async #startRun(): Promise<void> {
    const { endpoint, onChange, serverOf } = this.#context;
    const { entrypoint = [], cmd = [], image } = endpoint;
    this.#ready = false;
    this.#sick = false;
    this.#restarting = false;
    this.#system(`start ${[...entrypoint, ...cmd].join(' ')} (${image})`);
    try {
      const run = await WorkerRun.start(this, this.#context, async () => serverOf?.(this));
      this.#run = run;
      this.#runOver = run.ended().then((end) => this.#onEnd(run, end));
      this.#system(`process ${run.process.pid} started`);
      this.#remarkIfSlow(run);
      onChange(this);
    } catch (error) {
      if (!(error instanceof StartError || isStorageFull(error))) throw error;
      this.#fail(`the worker cannot be started: ${(error as Error).message}`);
    }
  }

  #remarkIfSlow(run: WorkerRun): void {
    const { clock, serverOf } = this.#context;
    const missing = serverOf
      ? 'its health check has not been answered with 200'
      : 'it has not asked for a job, as it does once its code starts the loop of its SDK';
    const cancel = clock.after(SLOW_START_MS, () => {
      if (!this.#ready) this.#system(`not ready ${SLOW_START_MS / 1000} s after its start: ${missing}`);
    });
    void run.process.exited.then(cancel);
  }

  #onEnd(run: WorkerRun, { how, upMs, lastLines }: RunEnd): void {
    const { onGone, onLost, onChange } = this.#context;
    if (upMs > HEALTHY_AFTER_MS) this.#failures = 0;
    this.#run = undefined;
    this.#ready = false;
    onGone(this);
    // Read now: while the transaction is retried, the worker changes, and its next process takes work of its own.
    const lost = { reason: how, held: [...this.work], intended: this.draining };
    run.close((transaction) => onLost(this, { ...lost, transaction }));
    // One that stands by, or waits for a place to run again, is started anew when it may run.
    if (this.stopping || this.#frozen || !this.#admitted) {
      this.#system(`process ${how}`);
    } else if (this.#restarting) {
      this.#system(`process ${how}`);
      this.#start();
    } else {
      const said = lastLines.map((line) => `\n    ${line}`).join('');
      const seconds = (upMs / 1000).toFixed(1);
      this.#fail(
        `the worker's process ${how} after ${seconds} s${said === '' ? ', without any output' : `; its last lines:${said}`}`,
      );
    }
    onChange(this);
  }

  #fail(explanation: string): void {
    const { clock, onChange } = this.#context;
    this.#failures++;
    if (this.#failures === 1) this.since = clock.now();
    for (const line of explanation.split('\n')) this.#system(line);
    if (!this.stopping) {
      const pause = restartPause(this.#failures);
      this.#system(`worker is unhealthy (failure ${this.#failures} in a row); next start in ${pause / 1000} s`);
      // Others may run meanwhile.
      this.#admitted = false;
      this.#leaveHost();
      this.#cancelPause = clock.after(pause, () => this.#enterHost(() => this.#start()));
    }
    onChange(this);
  }

  #system(line: string): void {
    this.#context.logs.append(this.id, 'system', line);
  }
}
