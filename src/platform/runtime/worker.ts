import type { Clock } from '../clock.ts';
import type { WorkerPrice } from '../domain/catalog.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { workerUsage } from '../domain/usage.ts';
import { restartPause, type WorkerView } from '../domain/worker.ts';
import { newToken } from '../ids.ts';
import { LineSplitter } from '../logs/lineSplitter.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import { isStorageFull } from '../store/storageFull.ts';
import type { Store } from '../store/store.ts';
import type { HostCapacity } from './hostCapacity.ts';
import { StartError, type RunExit, type RunningProcess, type Runtime } from './runtime.ts';
import { untilStored } from './untilStored.ts';
import { workerEnvironment, type WorkerServer } from './workerEnvironment.ts';

/** What a worker needs from around it. */
export interface WorkerContext {
  readonly endpoint: EndpointRecord;
  readonly price: WorkerPrice;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly logs: WorkerLogs;
  readonly clock: Clock;
  readonly capacity: HostCapacity;
  /** Address of the worker protocol. */
  readonly workerUrl: () => string;
  /** Time a process has to end by itself. */
  readonly graceMs: number;
  /** The directory of its volume. @throws the file system's error */
  readonly volumeDirectory: (endpoint: EndpointRecord) => string | undefined;
  /** Something that scaling or the queue cares about has changed. */
  readonly onChange: (worker: Worker) => void;
  /** The process is gone; `reason` says how. Called inside the transaction that closes its usage. */
  readonly onLost: (worker: Worker, reason: string) => void;
  /** Where its next process is to serve HTTP; left out for a worker that serves none. @throws StartError */
  readonly serverOf?: ((worker: Worker) => Promise<WorkerServer>) | undefined;
  /** Resolves when it has finished what it is working on, or has had its time for that; left out when that is not waited for. */
  readonly letFinish?: ((worker: Worker) => Promise<void>) | undefined;
}

interface Run {
  readonly id: string;
  readonly startedAt: number;
  readonly process: RunningProcess;
}

/** Environment entry that names the directory of the worker's volume. */
const VOLUME_VARIABLE = 'CLOUD_COMPUTE_VOLUME';

const LAST_LINES = 5;
/** A process that was up that long was healthy, whatever came before it. */
const HEALTHY_AFTER_MS = 300_000;
/** Characters of each of the last lines that the system log repeats. */
const LAST_LINE_LENGTH = 300;

/** One worker: a process that is kept up, started again after growing pauses when it fails, until the worker is stopped. */
export class Worker {
  readonly id: string;
  /** Secret that the worker's calls carry. New for every worker, held in memory only. */
  readonly token = newToken();
  /** When the present idleness, or failure, began. */
  since: number;
  /** Ids of what it is working on: jobs, or requests. */
  readonly work = new Set<string>();
  readonly #context: WorkerContext;
  /** This machine has a place for it. */
  #admitted = false;
  #leaveHost: () => void = () => undefined;
  /** It stands by: scaled down, its process kept but not running. */
  #frozen = false;
  #run: Run | undefined;
  #starting: Promise<void> | undefined;
  #ready = false;
  /** It is up, and says itself that it cannot work. */
  #sick = false;
  #failures = 0;
  #stopping: Promise<void> | undefined;
  #version: number;
  #retired = false;
  /** The process is being replaced on purpose: its end is no failure. */
  #restarting = false;
  #cancelPause: (() => void) | undefined;
  #lastLines: string[] = [];

  constructor(id: string, context: WorkerContext) {
    this.id = id;
    this.#context = context;
    this.#version = context.endpoint.version;
    this.since = context.clock.now();
    context.store.insertWorker({ id, endpointId: context.endpoint.id, createdAt: this.since });
    this.#system(`create worker ${id} for endpoint ${context.endpoint.name}`);
    this.#enterHost(() => this.#start());
  }

  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** It stands by: it counts as no worker and costs nothing, and is back at once. */
  get frozen(): boolean {
    return this.#frozen;
  }

  /** Its process is about to end: it is being stopped, or replaced. */
  get replaced(): boolean {
    return this.stopping || this.#restarting;
  }

  /** It is outdated, and ends when it has finished what it is working on. */
  get retired(): boolean {
    return this.#retired;
  }

  /** It is given nothing more to do. */
  get draining(): boolean {
    return this.replaced || this.#retired || this.#frozen;
  }

  /** How much it is working on. */
  get load(): number {
    return this.work.size;
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

  /** @param delivered a result came of it, which proves the worker healthy */
  finish(workId: string, delivered: boolean): void {
    if (delivered) this.#failures = 0;
    if (this.work.delete(workId) && this.load === 0) this.since = this.#context.clock.now();
  }

  /** It goes on as a worker of the endpoint's new version, which has the same container. */
  adopt({ version }: EndpointRecord): void {
    if (!this.#retired) this.#version = version;
  }

  /** It is outdated: nothing more to do for it. */
  retire(reason: string): void {
    if (this.#retired) return;
    this.#retired = true;
    if (this.load > 0) this.#system(`${reason}: the worker ends when it has finished its work`);
  }

  /** Puts it on standby. Only of use to a worker with nothing to do. */
  freeze(): void {
    const { store, clock } = this.#context;
    if (!this.#run || this.draining) return;
    this.#frozen = true;
    this.since = clock.now();
    this.#run.process.freeze();
    store.endUsage(this.#run.id, this.since);
    this.#leaveHost();
    this.#system('scaled down: the process is frozen, for a fast start (FlashBoot)');
  }

  /** It is needed again. The machine may have no place for it, as for any other worker. */
  thaw(): void {
    if (!this.#frozen || this.stopping) return;
    this.#frozen = false;
    this.#enterHost(() => {
      const { store, clock, price, endpoint } = this.#context;
      this.since = clock.now();
      if (!this.#run) {
        this.#start();
        return;
      }
      const of = { id: this.#run.id, endpointId: endpoint.id, startedAt: this.since };
      for (const usage of workerUsage(of, { ...price, diskGb: endpoint.disk ?? 0 })) store.startUsage(usage);
      this.#run.process.thaw();
      this.#system('resumed from standby');
      this.#context.onChange(this);
    });
  }

  /** Ends the process and starts another in its place, without holding it against the worker. */
  restart(reason: string): void {
    if (this.replaced || !this.#run) return;
    this.#restarting = true;
    this.#system(`restart worker: ${reason}`);
    void this.#run.process.stop(this.#context.graceMs);
  }

  /** Ends the process for good. Resolves when it has fully stopped. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#stop(reason);
    return this.#stopping;
  }

  async #stop(reason: string): Promise<void> {
    this.#cancelPause?.();
    this.#system(`stop worker: ${reason}`);
    await this.#starting;
    await this.#context.letFinish?.(this);
    const run = this.#run;
    if (run) {
      await run.process.stop(this.#context.graceMs);
      await run.process.exited;
    }
    this.#leaveHost();
  }

  /** Calls back when this machine has a place for it. */
  #enterHost(onAdmitted: () => void): void {
    const { capacity, clock } = this.#context;
    this.#admitted = false;
    this.#leaveHost = capacity.admit(() => {
      this.#admitted = true;
      this.since = clock.now();
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
    const { endpoint, runtime, store, clock, workerUrl } = this.#context;
    const entrypoint = endpoint.entrypoint ?? [];
    const cmd = endpoint.cmd ?? [];
    const runId = newToken();
    this.#ready = false;
    this.#sick = false;
    this.#restarting = false;
    this.#lastLines = [];
    this.#system(`start ${[...entrypoint, ...cmd].join(' ')} (${endpoint.image})`);
    const identity = { endpointId: endpoint.id, workerId: this.id, token: this.token, workerUrl: workerUrl() };
    const output = { stdout: this.#splitter(), stderr: this.#splitter() };
    const startedAt = clock.now();
    try {
      const server = await this.#context.serverOf?.(this);
      const env = { ...workerEnvironment(identity, endpoint.env, process.env, server), ...this.#volume() };
      // Known before it is there: a platform that is killed from now on leaves nothing that the next one could not find.
      const announced = { id: runId, endpointId: endpoint.id, workerId: this.id, startedAt, lastSeenAt: startedAt };
      store.announceRun(announced);
      const child = await runtime.start({ image: endpoint.image, entrypoint, cmd, env }, runId, (stream, chunk) =>
        output[stream].write(chunk),
      );
      this.#run = { id: runId, startedAt, process: child };
      void child.exited.then((exit) => {
        output.stdout.end();
        output.stderr.end();
        this.#onExit(runId, startedAt, exit);
      });
      const { pid, processStart } = child;
      untilStored(clock, () => {
        // Where the disk was full, it may have ended meanwhile.
        if (this.#run?.id !== runId) return;
        store.insertRun({ ...announced, pid, processStart, ...this.#context.price, diskGb: endpoint.disk ?? 0 });
      });
      this.#system(`process ${pid} started`);
      this.#context.onChange(this);
    } catch (error) {
      if (error instanceof StartError) untilStored(clock, () => store.endRun(runId, startedAt));
      else if (!isStorageFull(error)) throw error;
      this.#fail(`the worker cannot be started: ${(error as Error).message}`);
    }
  }

  /**
   * A host process sees no mounts: it is told where the volume lies, in place of the path that it has in a container.
   *
   * @throws StartError
   */
  #volume(): Record<string, string> {
    const { volumeDirectory, endpoint } = this.#context;
    try {
      const directory = volumeDirectory(endpoint);
      return directory === undefined ? {} : { [VOLUME_VARIABLE]: directory };
    } catch (error) {
      throw new StartError(`its volume cannot be used: ${(error as Error).message}`);
    }
  }

  #splitter(): LineSplitter {
    return new LineSplitter((lines) => {
      this.#context.logs.append(this.id, 'container', lines);
      const last = lines.slice(-LAST_LINES).map(shortened);
      this.#lastLines = [...this.#lastLines, ...last].slice(-LAST_LINES);
    });
  }

  #onExit(runId: string, startedAt: number, exit: RunExit): void {
    const { store, clock, onLost, onChange } = this.#context;
    const seconds = ((clock.now() - startedAt) / 1000).toFixed(1);
    const how = exit.signal === null ? `exited with code ${exit.code ?? 'unknown'}` : `was ended by ${exit.signal}`;
    if (clock.now() - startedAt > HEALTHY_AFTER_MS) this.#failures = 0;
    this.#run = undefined;
    this.#ready = false;
    const endedAt = clock.now();
    untilStored(clock, () =>
      store.transaction(() => {
        store.endRun(runId, endedAt);
        onLost(this, how);
      }),
    );
    if (this.stopping || this.#frozen) {
      this.#system(`process ${how}`);
    } else if (this.#restarting) {
      this.#system(`process ${how}`);
      this.#start();
    } else {
      const tail = this.#lastLines.map((line) => `\n    ${line}`).join('');
      this.#fail(
        `the worker's process ${how} after ${seconds} s${tail === '' ? ', without any output' : `; its last lines:${tail}`}`,
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
      this.#cancelPause = clock.after(pause, () => this.#start());
    }
    onChange(this);
  }

  #system(line: string): void {
    this.#context.logs.append(this.id, 'system', line);
  }
}

/** A long line with its middle left out: an exception that was written on one line says at its end what it is. */
function shortened(line: string): string {
  const half = LAST_LINE_LENGTH / 2;
  return line.length <= LAST_LINE_LENGTH ? line : `${line.slice(0, half)} … ${line.slice(-half)}`;
}
