import { exitWords } from '../../contract/systemLines.ts';
import type { Clock } from '../time/clock.ts';
import type { WorkerPrice } from '../domain/workerPrices.ts';
import type { MeasuredImports } from '../domain/importTimes.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { workerUsage } from '../domain/usage.ts';
import { newToken } from '../ids.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import type { RunClaim, RunRecord } from '../store/runStore.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { ImageDigest, RunDebug, RunSpec } from '../runtimes/runSpec.ts';
import { StartError, type RunningWorker, type Runtime, type StartOptions } from '../runtimes/runtime.ts';
import { isStorageFull } from '../storageFull.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import { RunOutput } from './runOutput.ts';
import { runSpecOf, type RunDependencies } from './runSpecOf.ts';

/** Dependencies of a worker's process. */
export interface RunContext extends RunDependencies {
  readonly endpoint: EndpointRecord;
  readonly price: WorkerPrice;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly logs: WorkerLogs;
  readonly clock: Clock;
  /** Has the same time as `clock`, but waits in real time, as processes and the disk require. */
  readonly realClock: Clock;
}

/** The end of a process. */
export interface RunEnd {
  /** How the process ended, as a predicate such as `exited with code 1`. */
  readonly how: string;
  /** Last lines of its output, shortened. */
  readonly lastLines: readonly string[];
}

/** The worker that a process belongs to. */
export interface RunOwner {
  readonly id: string;
  readonly token: string;
  /** UUIDs of the GPUs of this machine that are reserved for it. */
  readonly gpus: readonly string[];
  /** Set if a debugger holds the worker. */
  readonly debug: RunDebug | undefined;
  /** Whether the modules that it loads are measured. Default: no. */
  readonly profilesImports?: boolean;
}

const SECOND_MS = 1000;

/** A process of a worker. It is recorded before it starts, and metered while it runs. Its output goes to the worker's log. */
export class WorkerRun {
  readonly id: string;
  readonly startedAt: number;
  readonly process: RunningWorker;
  readonly #context: RunContext;
  readonly #worker: RunOwner;
  readonly #output: RunOutput;
  /** Last time at which an earlier platform saw the process, if it has ended since then. */
  readonly #endedAt: number | undefined;
  /** Stores the start of usage. Undefined once it is stored. */
  #pendingStart: (() => void) | undefined;

  private constructor(id: string, startedAt: number, process: RunningWorker, from: RunStart) {
    this.id = id;
    this.startedAt = startedAt;
    this.process = process;
    this.#context = from.context;
    this.#worker = from.worker;
    this.#output = from.output;
    this.#endedAt = from.endedAt;
  }

  /** Starts a process. @throws StartError; the store's error on a full disk; the signal's reason */
  static async start(
    worker: RunOwner,
    context: RunContext,
    reports: Pick<StartOptions, 'onProgress' | 'onRemark' | 'onLayers' | 'onSpawned' | 'onReachable' | 'signal'>,
  ): Promise<WorkerRun> {
    const { signal } = reports;
    const { endpoint, runtime, store, logs, clock, realClock } = context;
    const runId = newToken();
    const announcedAt = clock.now();
    const now = worker.profilesImports ? () => clock.now() : undefined;
    const output = new RunOutput({ runId, workerId: worker.id, endpointId: endpoint.id }, logs, now);
    try {
      const spec = specOf(runId, worker, context);
      // Announced before the start, so that the next platform finds the process even if this platform is killed.
      store.runs.announce({
        ...{
          id: runId,
          endpointId: endpoint.id,
          workerId: worker.id,
          handle: runtime.handleOf({ runId, image: spec.image }),
        },
        ...{ startedAt: announcedAt, lastSeenAt: announcedAt },
      });
      const running = await runtime.start(spec, {
        ...reports,
        onOutput: output.write,
        onOutputLost: output.lost,
        onImage: (digest, pulledId) => pinImage(context, digest, pulledId),
        wasPulled: (id) => store.pulledImages.has(id),
      });
      // The time until the process is up is not charged.
      const run = new WorkerRun(runId, clock.now(), running, { worker, context, output });
      run.#record();
      return run;
    } catch (error) {
      if (error instanceof StartError || isStorageFull(error) || signal.aborted)
        retryWhileFull(realClock, () => store.runs.end(runId, announcedAt));
      throw error;
    }
  }

  /**
   * Takes over the process of a run that an earlier platform started. Its usage continues. Resolves with undefined if that is not possible.
   *
   * @throws the signal's reason
   */
  static async adopt(
    { claim, ...recorded }: AdoptableRun,
    context: RunContext,
    { onReachable, signal }: Pick<StartOptions, 'onReachable' | 'signal'>,
  ): Promise<WorkerRun | undefined> {
    const { runtime, logs } = context;
    const { id, workerId, handle, startedAt, lastSeenAt } = recorded;
    const worker = { id: workerId, token: claim.token, gpus: claim.gpus, debug: undefined };
    const output = new RunOutput({ runId: id, workerId, endpointId: context.endpoint.id }, logs);
    const { position } = output;
    let running: RunningWorker | undefined;
    try {
      const spec = specOf(id, worker, context);
      const reports = { onOutput: output.write, onOutputLost: output.lost, onReachable };
      running = await runtime.adopt(handle, spec, { position, frozen: claim.frozen, signal, ...reports });
    } catch (error) {
      // The resources of the endpoint, such as its volumes, may be gone.
      if (!(error instanceof StartError)) throw error;
    }
    if (!running) return undefined;
    const endedAt = running.hadEnded ? lastSeenAt : undefined;
    return new WorkerRun(id, startedAt, running, { worker, context, output, endedAt });
  }

  /** Ends a run of an earlier platform that is not taken over. */
  static async end({ id, handle, lastSeenAt }: AdoptableRun, { runtime, store, realClock }: RunContext): Promise<void> {
    await runtime.endOrphans([handle]);
    retryWhileFull(realClock, () => store.runs.end(id, lastSeenAt));
  }

  /** Returns the modules that the process has loaded so far. Undefined unless they are measured. @param until as for `ImportTimes` */
  imports(until: number | undefined): MeasuredImports | undefined {
    return this.#output.imports?.measured(until);
  }

  /** Whether the process ended while no platform followed it. */
  get hadEnded(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Records the address from which the process sent its first request. */
  bind(peer: string): void {
    const { store, realClock } = this.#context;
    retryWhileFull(realClock, () => store.runs.setClaim(this.id, { peer }));
  }

  /** Lets the process run on for the next platform. Returns false if the next platform cannot adopt it. */
  leave(): boolean {
    if (!this.process.leave || this.#pendingStart) return false;
    this.process.leave();
    return true;
  }

  /** Ends the process. The next platform does not adopt it. */
  stop(graceMs: number): void {
    const { store, realClock } = this.#context;
    retryWhileFull(realClock, () => store.runs.disown(this.id));
    void this.process.stop(graceMs);
  }

  /** Resolves once the process has ended and all its output is in the log. */
  async ended(): Promise<RunEnd> {
    const exit = await this.process.exited;
    this.#output.end();
    return { how: exitWords(exit), lastLines: this.#output.lastLines };
  }

  /** Stores the end of the run and its consequences in one transaction. On a full disk, all of it is retried. */
  close(consequences: (transaction: Transaction) => void): void {
    const { store, clock, realClock } = this.#context;
    const endedAt = this.#endedAt ?? clock.now();
    retryWhileFull(realClock, () => {
      this.#storeUsageStart();
      store.transaction((transaction) => {
        store.runs.end(this.id, endedAt);
        consequences(transaction);
      });
    });
  }

  /** Suspends the process until `thaw`. A suspended process costs nothing. @throws the store's error; nothing has changed then */
  freeze(): void {
    const { store, clock } = this.#context;
    // If the start of usage were stored after its end, the usage would accrue until the next end.
    this.#storeUsageStart();
    store.transaction(() => {
      store.usage.end(this.id, clock.now());
      store.runs.setClaim(this.id, { frozen: true });
    });
    void this.process.freeze();
  }

  thaw(): void {
    const { store, clock, endpoint } = this.#context;
    const from = { id: this.id, endpointId: endpoint.id, startedAt: clock.now() };
    // Charged by the second, because the disk's longer billing step was already charged at the start.
    const usages = workerUsage(from, this.#cost()).map((usage) => ({ ...usage, stepMs: SECOND_MS }));
    this.#startUsage(() => {
      store.transaction(() => {
        for (const usage of usages) store.usage.start(usage);
        store.runs.setClaim(this.id, { frozen: false });
      });
    });
    void this.process.thaw();
  }

  #record(): void {
    const { store, endpoint, runtime } = this.#context;
    const { id, startedAt } = this;
    const { handle } = this.process;
    const { token, gpus } = this.#worker;
    const claim = { version: endpoint.version, token, gpus, frozen: false };
    this.#startUsage(() => {
      const of = { id, endpointId: endpoint.id, workerId: this.#worker.id, startedAt, lastSeenAt: startedAt };
      const adoptable = runtime.canAdopt(endpoint.image) && { claim };
      store.runs.insert({ ...of, handle, ...adoptable, ...this.#cost() });
    });
  }

  #startUsage(storeStart: () => void): void {
    this.#pendingStart = storeStart;
    retryWhileFull(this.#context.realClock, () => this.#storeUsageStart());
  }

  #storeUsageStart(): void {
    this.#pendingStart?.();
    this.#pendingStart = undefined;
  }

  #cost() {
    const { price, endpoint } = this.#context;
    return { ...price, diskGb: endpoint.disk ?? 0, accountId: endpoint.accountId };
  }
}

/** Stores the image of the release. Returns the digest that all its workers run. */
function pinImage({ store, endpoint, clock }: RunContext, digest: ImageDigest, pulledId?: string): ImageDigest {
  return store.transaction(() => {
    if (pulledId !== undefined) store.pulledImages.add(pulledId, clock.now());
    return store.endpoints.pinImage(endpoint.id, endpoint.version, digest);
  });
}

/** Returns the specification of a run. @throws StartError */
function specOf(runId: string, owner: RunOwner, context: RunContext): RunSpec {
  const { id: workerId, token, gpus: reserved, debug, profilesImports } = owner;
  const { endpoint, runtime, store } = context;
  const pinned = store.endpoints.pinnedImage(endpoint.id, endpoint.version);
  const gpus = runtime.placesGpus(endpoint.image) ? undefined : reserved;
  return runSpecOf(endpoint, { runId, workerId, token, gpus, pinned, debug, profilesImports }, context);
}

/** A run of an earlier platform whose process may still run. */
export type AdoptableRun = RunRecord & { readonly claim: RunClaim };

interface RunStart {
  readonly worker: RunOwner;
  readonly context: RunContext;
  readonly output: RunOutput;
  readonly endedAt?: number | undefined;
}
