import { exitWords, writeSystemLine } from '../../contract/systemLines.ts';
import type { Clock } from '../time/clock.ts';
import type { WorkerPrice } from '../domain/workerPrices.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { workerUsage } from '../domain/usage.ts';
import { newToken } from '../ids.ts';
import { LineSplitter } from '../logs/lineSplitter.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { ImageDigest, RunDebug } from '../runtimes/runSpec.ts';
import { StartError, type RunningWorker, type Runtime, type StartOptions } from '../runtimes/runtime.ts';
import { isStorageFull } from '../storageFull.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import { runSpecOf } from './runSpecOf.ts';
import type { RunDependencies } from './runDependencies.ts';

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

interface Owner {
  readonly id: string;
  readonly token: string;
  /** UUIDs of the GPUs of this machine that are reserved for it. */
  readonly gpus: readonly string[];
  /** Set if a debugger holds the worker. */
  readonly debug: RunDebug | undefined;
}

const SECOND_MS = 1000;
const LAST_LINES = 5;
/** Maximum length of each of the last lines, in characters. */
const LAST_LINE_LENGTH = 300;

/** A process of a worker. It is recorded before it starts, and metered while it runs. Its output goes to the worker's log. */
export class WorkerRun {
  readonly id: string;
  readonly startedAt: number;
  readonly process: RunningWorker;
  readonly #context: RunContext;
  readonly #worker: Owner;
  readonly #output: RunOutput;
  /** Stores the start of usage. Undefined once it is stored. */
  #pendingStart: (() => void) | undefined;

  private constructor(id: string, startedAt: number, process: RunningWorker, from: RunStart) {
    this.id = id;
    this.startedAt = startedAt;
    this.process = process;
    this.#context = from.context;
    this.#worker = from.worker;
    this.#output = from.output;
    this.#record();
  }

  /** Starts a process. @throws StartError; the store's error on a full disk; the signal's reason */
  static async start(
    worker: Owner,
    context: RunContext,
    { onProgress, onReachable, signal }: Pick<StartOptions, 'onProgress' | 'onReachable' | 'signal'>,
  ): Promise<WorkerRun> {
    const { endpoint, runtime, store, logs, clock, realClock } = context;
    const runId = newToken();
    const announcedAt = clock.now();
    const owner = { workerId: worker.id, endpointId: endpoint.id };
    const output = new RunOutput((lines, at) => logs.append(owner, 'container', lines, at));
    try {
      const pinned = store.endpoints.pinnedImage(endpoint.id, endpoint.version);
      const gpus = runtime.placesGpus(endpoint.image) ? undefined : worker.gpus;
      const identity = { runId, workerId: worker.id, token: worker.token, gpus, pinned, debug: worker.debug };
      const spec = runSpecOf(endpoint, identity, context);
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
        onProgress,
        onOutput: (stream, chunk, at) => output.write(stream, chunk, at),
        onOutputLost: (from, until) =>
          logs.append(owner, 'system', writeSystemLine({ kind: 'outputLost', from, until })),
        onImage: (digest, pulledId) => pinImage(context, digest, pulledId),
        wasPulled: (id) => store.pulledImages.has(id),
        onReachable,
        signal,
      });
      // The time until the process is up is not charged.
      return new WorkerRun(runId, clock.now(), running, { worker, context, output });
    } catch (error) {
      if (error instanceof StartError || isStorageFull(error) || signal.aborted)
        retryWhileFull(realClock, () => store.runs.end(runId, announcedAt));
      throw error;
    }
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
    const endedAt = clock.now();
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
    store.usage.end(this.id, clock.now());
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
      });
    });
    void this.process.thaw();
  }

  #record(): void {
    const { store, endpoint } = this.#context;
    const { id, startedAt } = this;
    const { handle } = this.process;
    this.#startUsage(() => {
      const of = { id, endpointId: endpoint.id, workerId: this.#worker.id, startedAt, lastSeenAt: startedAt };
      store.runs.insert({ ...of, handle, ...this.#cost() });
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

interface RunStart {
  readonly worker: Owner;
  readonly context: RunContext;
  readonly output: RunOutput;
}

/** Output of a process, split into lines. */
class RunOutput {
  readonly #streams: Readonly<Record<'stdout' | 'stderr', LineSplitter>>;
  /** Time of the newest chunk, which ends the lines that are reported. Undefined if the runtime does not know it. */
  #at: number | undefined;
  lastLines: readonly string[] = [];

  /** @param onLines called with lines and their time, in ms since the epoch */
  constructor(onLines: (lines: readonly string[], at: number | undefined) => void) {
    const splitter = () =>
      new LineSplitter((lines) => {
        onLines(lines, this.#at);
        this.lastLines = [...this.lastLines, ...lines.slice(-LAST_LINES).map(shortened)].slice(-LAST_LINES);
      });
    this.#streams = { stdout: splitter(), stderr: splitter() };
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array, at: number | undefined): void {
    this.#at = at;
    this.#streams[stream].write(chunk);
  }

  end(): void {
    this.#streams.stdout.end();
    this.#streams.stderr.end();
  }
}

/** Omits the middle of a long line, because an exception on a single line ends with its message. */
function shortened(line: string): string {
  const half = LAST_LINE_LENGTH / 2;
  return line.length <= LAST_LINE_LENGTH ? line : `${line.slice(0, half)} … ${line.slice(-half)}`;
}
