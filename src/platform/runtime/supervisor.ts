import { isTerminal } from '../../contract/job.ts';
import type { Clock } from '../clock.ts';
import { decideScaling, queueHorizon, type WorkerObservation } from '../domain/autoscaler.ts';
import { workerPrice } from '../domain/catalog.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { executionTimeout, type JobRecord } from '../domain/job.ts';
import { workerStatus, type WorkerView } from '../domain/worker.ts';
import { newWorkerId } from '../ids.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import type { Store } from '../store/store.ts';
import type { JobBook } from './jobBook.ts';
import type { Runtime } from './runtime.ts';
import { Waiters } from './waiters.ts';
import { Worker } from './worker.ts';

export interface SupervisorContext {
  readonly store: Store;
  readonly jobs: JobBook;
  readonly logs: WorkerLogs;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly workerUrl: () => string;
  readonly graceMs: number;
}

/** How long a worker's question for jobs is held open. Workers give up after 90 s (facts, worker protocol, section 3). */
const HOLD_MS = 25_000;
/** Time a worker has to drop a job that was taken from it, before its process is replaced. */
const LET_GO_MS = 5_000;
/** Heartbeats in a row that may leave a job out before it counts as lost. */
const MISSED_PINGS = 3;

interface Slot {
  readonly worker: Worker;
  readonly takes: Waiters<JobRecord>;
  readonly stops: Waiters<readonly string[]>;
  /** Jobs the worker is to drop and has not been told about yet. */
  toStop: string[];
  /** What calls off the deadline of each job it has. */
  readonly deadlines: Map<string, () => void>;
  /** Heartbeats in a row that did not name a job it has. */
  readonly missedPings: Map<string, number>;
}

/** Everything about one endpoint that is alive: its workers, who of them waits for a job, and the deadlines of the running ones. */
export class Supervisor {
  readonly endpoint: EndpointRecord;
  readonly #context: SupervisorContext;
  readonly #slots = new Map<string, Slot>();
  /** Workers that are ending: no longer counted or listed, but waited for. */
  readonly #leaving = new Set<Promise<void>>();
  #cancelReconsider: (() => void) | undefined;
  #closed = false;
  #scaling = false;

  constructor(endpoint: EndpointRecord, context: SupervisorContext) {
    this.endpoint = endpoint;
    this.#context = context;
    this.changed();
  }

  /** The active workers: those that are ending are not among them. */
  views(): WorkerView[] {
    return this.#active().map(({ worker }) => worker.view);
  }

  /** The worker with that id, when the secret is its own. */
  authenticate(workerId: string, token: string): boolean {
    return this.#slots.get(workerId)?.worker.token === token;
  }

  /** The queue or the workers have changed: hands out jobs and adapts the number of workers. */
  changed(): void {
    if (this.#closed) return;
    this.#dispatch();
    this.#scale();
  }

  /**
   * A worker asks for a job; held open until there is one. Its asking tells that it is up, and which jobs it has dropped.
   *
   * @returns undefined when there is none for it now
   */
  async take(workerId: string, hasJobs: boolean, signal: AbortSignal): Promise<JobRecord | undefined> {
    const slot = this.#slots.get(workerId);
    if (!slot || slot.worker.draining || this.#closed) return undefined;
    if (!hasJobs) this.#dropLost(slot);
    slot.worker.markReady();
    const offer = slot.takes.wait(HOLD_MS, signal);
    this.changed();
    return offer;
  }

  /** Further jobs that are waiting, for a worker that takes several at once. */
  takeMore(workerId: string, count: number): JobRecord[] {
    const slot = this.#slots.get(workerId);
    const taken: JobRecord[] = [];
    while (slot && !slot.worker.draining && !this.#closed && taken.length < count) {
      const job = this.#takeNext(slot);
      if (!job) break;
      taken.push(job);
    }
    return taken;
  }

  /** The answer with the job never reached the worker. */
  undelivered(workerId: string, job: JobRecord): void {
    const slot = this.#slots.get(workerId);
    if (!slot?.worker.jobs.has(job.id)) return;
    this.#release(slot, job.id, false);
    this.#context.jobs.apply(this.endpoint.id, job.id, { kind: 'returned' });
    this.changed();
  }

  /** Held open until there are jobs that the worker is to drop. */
  async jobsToStop(workerId: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const slot = this.#slots.get(workerId);
    if (!slot || slot.worker.draining) return undefined;
    if (slot.toStop.length === 0) return slot.stops.wait(HOLD_MS, signal);
    const ids = slot.toStop;
    slot.toStop = [];
    return ids;
  }

  /** A worker's result: stored if it still has the job, ignored if not. */
  finished(workerId: string, jobId: string, result: { output?: unknown; error?: unknown }, refresh: boolean): void {
    const { jobs } = this.#context;
    const slot = this.#slots.get(workerId);
    if (this.#holds(workerId, jobId)) jobs.apply(this.endpoint.id, jobId, { kind: 'finished', ...result });
    if (!slot) return;
    this.#release(slot, jobId, true);
    if (refresh) this.#restart(slot, 'the worker asked for it');
    this.changed();
  }

  /** A progress report; ignored unless the worker still has the job. */
  progress(workerId: string, jobId: string, output: unknown): void {
    if (this.#holds(workerId, jobId)) this.#context.jobs.apply(this.endpoint.id, jobId, { kind: 'progress', output });
  }

  chunk(workerId: string, jobId: string, output: unknown): void {
    this.#context.jobs.appendChunk(this.endpoint.id, jobId, workerId, output);
  }

  /** A heartbeat with the jobs the worker says it has. */
  ping(workerId: string, jobIds: readonly string[]): void {
    const slot = this.#slots.get(workerId);
    if (!slot) return;
    for (const id of slot.worker.jobs) {
      const missed = jobIds.includes(id) ? 0 : (slot.missedPings.get(id) ?? 0) + 1;
      slot.missedPings.set(id, missed);
      if (missed >= MISSED_PINGS) this.#lose(slot, id);
    }
  }

  /** The job was cancelled, removed or timed out: whoever has it is told to drop it, and replaced if it does not. */
  abandon(jobId: string): void {
    const slot = this.#active().find(({ worker }) => worker.jobs.has(jobId));
    if (slot) {
      slot.deadlines.get(jobId)?.();
      slot.deadlines.set(
        jobId,
        this.#context.clock.after(LET_GO_MS, () => this.#restart(slot, `job ${jobId} was cancelled and still runs`)),
      );
      slot.toStop.push(jobId);
      if (slot.stops.size > 0) {
        slot.stops.give(slot.toStop);
        slot.toStop = [];
      }
    }
    this.changed();
  }

  /** Ends all workers; what they were working on goes back to the queue. */
  async close(reason: string): Promise<void> {
    this.#closed = true;
    this.#cancelReconsider?.();
    for (const slot of this.#active()) this.#stop(slot, reason);
    await Promise.all(this.#leaving);
  }

  #active(): Slot[] {
    return [...this.#slots.values()].filter(({ worker }) => !worker.stopping);
  }

  #dispatch(): void {
    for (const slot of this.#active()) {
      while (slot.takes.size > 0 && !slot.worker.draining) {
        const job = this.#takeNext(slot);
        if (!job) return;
        slot.takes.give(job);
      }
    }
  }

  #takeNext(slot: Slot): JobRecord | undefined {
    const { store, jobs } = this.#context;
    const next = store.nextQueuedJob(this.endpoint.id);
    const job = next && jobs.apply(this.endpoint.id, next.id, { kind: 'taken', workerId: slot.worker.id });
    if (!job) return undefined;
    slot.worker.addJob(job.id);
    this.#armDeadline(slot, job);
    return job;
  }

  #armDeadline(slot: Slot, job: JobRecord): void {
    const { clock, jobs } = this.#context;
    const afterMs = executionTimeout(job, this.endpoint.timeout);
    const onDeadline = (): void => {
      if (!jobs.apply(this.endpoint.id, job.id, { kind: 'timedOut', afterMs })) return;
      this.#restart(slot, `job ${job.id} ran longer than its ${afterMs} ms`);
      this.changed();
    };
    slot.deadlines.set(job.id, clock.after(afterMs, onDeadline));
  }

  #scale(): void {
    // Starting a worker reports a change, which must not decide a second time in the middle of the first.
    if (this.#scaling) return;
    this.#scaling = true;
    try {
      this.#cancelReconsider?.();
      const { clock } = this.#context;
      const now = clock.now();
      const { scaling, workers } = this.endpoint;
      const settings = { scaling, min: workers.min, max: workers.max, idleTimeoutMs: workers.idleTimeout * 1000 };
      const slots = this.#active();
      const waitingSince = this.#context.store.queuedSince(this.endpoint.id, queueHorizon(settings));
      const running = slots.reduce((sum, { worker }) => sum + worker.jobs.size, 0);
      const decision = decideScaling(settings, { waitingSince, running }, slots.map(observe), now);
      for (const id of decision.stop) {
        const slot = this.#slots.get(id);
        if (slot) this.#stop(slot, 'scaled down');
      }
      for (let count = 0; count < decision.start; count++) this.#add();
      if (decision.reconsiderAt !== undefined) {
        this.#cancelReconsider = clock.after(decision.reconsiderAt - now, () => this.changed());
      }
    } finally {
      this.#scaling = false;
    }
  }

  #add(): void {
    const { store, logs, runtime, clock, workerUrl, graceMs } = this.#context;
    const worker = new Worker(newWorkerId(), {
      endpoint: this.endpoint,
      price: workerPrice(this.endpoint),
      ...{ store, logs, runtime, clock, workerUrl, graceMs },
      onChange: () => this.changed(),
      onLost: (lost, reason) => this.#onLost(lost, reason),
    });
    this.#slots.set(worker.id, {
      worker,
      takes: new Waiters(clock),
      stops: new Waiters(clock),
      toStop: [],
      deadlines: new Map(),
      missedPings: new Map(),
    });
  }

  #stop(slot: Slot, reason: string): void {
    const { worker } = slot;
    const left = worker.stop(reason).then(() => {
      this.#slots.delete(worker.id);
      this.#leaving.delete(left);
      this.#context.logs.release(worker.id);
    });
    this.#leaving.add(left);
    // Only now, when it takes no more jobs: its open questions are answered with nothing.
    slot.takes.release();
    slot.stops.release();
  }

  #restart(slot: Slot, reason: string): void {
    slot.worker.restart(reason);
    slot.takes.release();
    slot.stops.release();
  }

  #onLost(worker: Worker, reason: string): void {
    const slot = this.#slots.get(worker.id);
    if (!slot) return;
    slot.takes.release();
    slot.stops.release();
    slot.toStop = [];
    for (const id of [...worker.jobs]) {
      this.#release(slot, id, false);
      this.#context.jobs.apply(
        this.endpoint.id,
        id,
        worker.draining ? { kind: 'returned' } : { kind: 'workerLost', reason },
      );
    }
  }

  /** A worker without jobs asks for one although it had some: it has dropped them, or could not deliver their results. */
  #dropLost(slot: Slot): void {
    for (const id of [...slot.worker.jobs]) this.#lose(slot, id);
  }

  #lose(slot: Slot, id: string): void {
    this.#release(slot, id, false);
    this.#context.jobs.apply(this.endpoint.id, id, {
      kind: 'failed',
      error: 'the worker ended the job without delivering a result; its output may hold values that JSON cannot write',
    });
    this.changed();
  }

  #release(slot: Slot, jobId: string, finished: boolean): void {
    slot.deadlines.get(jobId)?.();
    slot.deadlines.delete(jobId);
    slot.missedPings.delete(jobId);
    slot.toStop = slot.toStop.filter((id) => id !== jobId);
    slot.worker.removeJob(jobId, finished);
  }

  #holds(workerId: string, jobId: string): boolean {
    const job = this.#context.store.getJob(this.endpoint.id, jobId);
    return job !== undefined && !isTerminal(job.status) && job.workerId === workerId;
  }
}

function observe({ worker }: Slot): WorkerObservation {
  const { id, since, view } = worker;
  switch (workerStatus(view)) {
    case 'UNHEALTHY':
      return { id, since, state: 'unhealthy' };
    case 'RUNNING':
      return { id, since, state: 'busy' };
    case 'IDLE':
      return { id, since, state: 'idle' };
    default:
      return { id, since, state: 'starting' };
  }
}
