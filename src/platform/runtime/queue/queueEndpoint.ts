import { isTerminal } from '../../../contract/job.ts';
import type { Demand } from '../../domain/autoscaler.ts';
import type { EndpointRecord } from '../../domain/endpoint.ts';
import { executionTimeout, type JobRecord } from '../../domain/job.ts';
import type { WorkerView } from '../../domain/worker.ts';
import { Fleet, type FleetContext, type WorkSource } from '../fleet.ts';
import { isStorageFull } from '../../store/storageFull.ts';
import type { LiveEndpoint } from '../liveEndpoint.ts';
import { STORAGE_RETRY_MS, untilStored } from '../untilStored.ts';
import type { Worker } from '../worker.ts';
import { sharedStateWarning } from '../workerEnvironment.ts';
import type { JobBook } from './jobBook.ts';
import { Leases } from './leases.ts';

export interface QueueContext extends FleetContext {
  readonly jobs: JobBook;
}

/** A worker's question for a job. */
export interface TakeCall {
  /** It says that it is working on others. */
  readonly hasJobs: boolean;
  /** What it calls itself. */
  readonly userAgent: string;
}

/** How long a worker's question is held open. Workers give up after 90 s (facts, worker protocol, section 3). */
const HOLD_MS = 25_000;

/** A queue-based endpoint that is alive: hands its jobs to the workers that ask for one, and keeps account of who has which. */
export class QueueEndpoint implements LiveEndpoint, WorkSource {
  readonly type = 'QUEUE';
  readonly #context: QueueContext;
  readonly #fleet: Fleet;
  readonly #leases = new Map<string, Leases>();
  /** The disk is full, and a further try is pending. */
  #stalled = false;

  constructor(endpoint: EndpointRecord, context: QueueContext) {
    this.#context = context;
    this.#fleet = new Fleet(endpoint, context, this);
    this.changed();
  }

  get endpoint(): EndpointRecord {
    return this.#fleet.endpoint;
  }

  views(): WorkerView[] {
    return this.#fleet.views();
  }

  get standby(): number {
    return this.#fleet.standby;
  }

  /** Whether the secret is that of its worker with that id. */
  authenticate(workerId: string, token: string): boolean {
    return this.#fleet.find(workerId)?.token === token;
  }

  update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void {
    this.#fleet.update(endpoint, options);
  }

  /** Ends all workers; what they were working on goes back to the queue. */
  close(reason: string): Promise<void> {
    return this.#fleet.close(reason);
  }

  /** The queue or the workers have changed: hands out jobs and adapts the number of workers. */
  changed(): void {
    if (this.#fleet.closed || this.#stalled) return;
    try {
      this.#dispatch();
      this.#fleet.scale();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      this.#stalled = true;
      this.#context.clock.after(STORAGE_RETRY_MS, () => {
        this.#stalled = false;
        this.changed();
      });
    }
  }

  demand(horizon: number): Demand {
    return {
      waitingSince: this.#context.store.queuedSince(this.endpoint.id, horizon),
      running: this.#fleet.active().reduce((sum, { load }) => sum + load, 0),
    };
  }

  ending(worker: Worker): void {
    this.#leases.get(worker.id)?.answerAll();
  }

  lost(worker: Worker, reason: string): void {
    const leases = this.#leasesOf(worker);
    leases.answerAll();
    const event = worker.draining ? ({ kind: 'returned' } as const) : ({ kind: 'workerLost', reason } as const);
    const held = [...worker.work];
    // All are stored before any is let go of: on a full disk this is tried again.
    for (const id of held) this.#context.jobs.apply(this.endpoint.id, id, event);
    for (const id of held) leases.release(id, false);
  }

  ended(worker: Worker): void {
    this.#leases.delete(worker.id);
  }

  /**
   * A worker asks for a job; held open until there is one. Its asking tells that it is up, and which jobs it has dropped.
   *
   * @returns undefined when there is none for it now
   */
  async take(workerId: string, { hasJobs, userAgent }: TakeCall, signal: AbortSignal): Promise<JobRecord | undefined> {
    const worker = this.#fleet.find(workerId);
    if (!worker || worker.replaced || this.#fleet.closed) return undefined;
    const leases = this.#leasesOf(worker);
    // A worker without jobs asks for one although it had some: it has dropped them, or could not deliver their results.
    if (!hasJobs) for (const id of [...worker.work]) this.#lose(leases, id);
    worker.markReady(sharedStateWarning(userAgent, this.endpoint.workers.max));
    leases.asks();
    const offer = leases.takes.wait(HOLD_MS, signal);
    this.changed();
    const job = await offer;
    if (!job) this.#expectToAsk(leases);
    return job;
  }

  /** Further jobs that are waiting, for a worker that takes several at once. */
  takeMore(workerId: string, count: number): JobRecord[] {
    const worker = this.#fleet.find(workerId);
    if (!worker || worker.draining || this.#fleet.closed) return [];
    const taken = this.#context.store.transaction(() => {
      const jobs: JobRecord[] = [];
      while (jobs.length < count) {
        const job = this.#nextFor(worker);
        if (!job) break;
        jobs.push(job);
      }
      return jobs;
    });
    for (const job of taken) this.#grant(this.#leasesOf(worker), job);
    return taken;
  }

  /** The answer with the job never reached the worker. */
  undelivered(workerId: string, job: JobRecord): void {
    untilStored(this.#context.clock, () => {
      const leases = this.#leases.get(workerId);
      if (!leases?.has(job.id)) return;
      this.#context.jobs.apply(this.endpoint.id, job.id, { kind: 'returned' });
      leases.release(job.id, false);
      this.changed();
    });
  }

  /** Held open until there are jobs that the worker is to drop. */
  async jobsToStop(workerId: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const worker = this.#fleet.find(workerId);
    if (!worker || worker.replaced) return undefined;
    return this.#leasesOf(worker).jobsToStop(HOLD_MS, signal);
  }

  /** A worker's result: stored if it still has the job, ignored if not. */
  finished(workerId: string, jobId: string, result: { output?: unknown; error?: unknown }, refresh: boolean): void {
    const { jobs } = this.#context;
    if (this.#holds(workerId, jobId)) jobs.apply(this.endpoint.id, jobId, { kind: 'finished', ...result });
    const leases = this.#leases.get(workerId);
    if (!leases) return;
    leases.release(jobId, true);
    this.#expectToAsk(leases);
    if (refresh) this.#fleet.restart(leases.worker, 'the worker asked for it');
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
    const leases = this.#leases.get(workerId);
    for (const id of leases?.heartbeat(jobIds) ?? []) if (leases) this.#lose(leases, id);
  }

  /** The job was cancelled, removed or timed out: whoever has it is told to drop it, and replaced if it does not. */
  abandon(jobId: string): void {
    const holder = this.#fleet.active().find(({ work }) => work.has(jobId));
    if (holder) {
      this.#leasesOf(holder).revoke(jobId, () =>
        this.#fleet.restart(holder, `job ${jobId} was cancelled and still runs`),
      );
    }
    this.changed();
  }

  /** A free worker that asks for no job although some wait is stuck, and is replaced. */
  #expectToAsk(leases: Leases): void {
    const { worker, takes } = leases;
    leases.expectToAsk(() => {
      if (worker.draining || worker.load > 0 || takes.size > 0) return;
      if (this.demand(1).waitingSince.length === 0) this.#expectToAsk(leases);
      else this.#fleet.restart(worker, 'it has stopped asking for jobs although some wait');
    });
  }

  #leasesOf(worker: Worker): Leases {
    let leases = this.#leases.get(worker.id);
    if (!leases) {
      leases = new Leases(worker, this.#context.clock);
      this.#leases.set(worker.id, leases);
    }
    return leases;
  }

  #dispatch(): void {
    for (const worker of this.#fleet.active()) {
      const leases = this.#leasesOf(worker);
      while (leases.takes.size > 0 && !worker.draining) {
        const job = this.#takeNext(leases);
        if (!job) return;
        leases.takes.give(job);
      }
    }
  }

  #takeNext(leases: Leases): JobRecord | undefined {
    const job = this.#nextFor(leases.worker);
    if (job) this.#grant(leases, job);
    return job;
  }

  /** The job that has waited longest, stored as the worker's. */
  #nextFor({ id: workerId }: Worker): JobRecord | undefined {
    const next = this.#context.store.nextQueuedJob(this.endpoint.id);
    return next && this.#context.jobs.apply(this.endpoint.id, next.id, { kind: 'taken', workerId });
  }

  #grant(leases: Leases, job: JobRecord): void {
    const { jobs } = this.#context;
    const { worker } = leases;
    const afterMs = executionTimeout(job, this.endpoint.timeout);
    leases.grant(job.id, afterMs, () => {
      if (!jobs.apply(this.endpoint.id, job.id, { kind: 'timedOut', afterMs })) return;
      const restart = (): void => this.#fleet.restart(worker, `job ${job.id} ran longer than its ${afterMs} ms`);
      // Who can drop one job keeps its process, its loaded models and its other jobs.
      if (leases.listening) leases.revoke(job.id, restart);
      else restart();
      this.changed();
    });
  }

  #lose(leases: Leases, jobId: string): void {
    this.#context.jobs.apply(this.endpoint.id, jobId, {
      kind: 'failed',
      error: 'the worker ended the job without delivering a result; its output may hold values that JSON cannot write',
    });
    leases.release(jobId, false);
    this.changed();
  }

  #holds(workerId: string, jobId: string): boolean {
    const job = this.#context.store.getJob(this.endpoint.id, jobId);
    return job !== undefined && !isTerminal(job.status) && job.workerId === workerId;
  }
}
