import type { JobRequest } from '../../contract/job.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { JobEvent, JobRecord } from '../domain/job.ts';
import type { Reservation } from '../workers/debugSession.ts';
import type { WorkerPoolContext } from '../workers/workerPool.ts';
import { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { retryUntilStored, retryWhileFull } from '../store/fullDisk.ts';
import type { Adoption, Worker, LostWork } from '../workers/worker.ts';
import { sharedStateWarning } from '../runtimes/workerEnvironment.ts';
import { Disturbances } from './disturbances.ts';
import { EndpointJobs } from './endpointJobs.ts';
import type { Lease } from './jobChanges.ts';
import type { JobQueue, JobResult, Submission, TakenJob } from './jobQueue.ts';
import { LeasedJobs } from './leasedJobs.ts';
import type { Leases } from './leases.ts';
import { ReservedJobs } from './reservedJobs.ts';

export interface QueueContext extends WorkerPoolContext {
  readonly jobs: JobQueue;
}

/** The sender of a request of the worker protocol. */
export interface WorkerCaller {
  readonly workerId: string;
  readonly token: string;
  /** IP address. */
  readonly peer: string | undefined;
}

/** A worker's request for jobs. */
export interface TakeCall {
  /** Maximum number of jobs, at least 1. */
  readonly limit: number;
  /** Whether the worker reports that it is running other jobs. */
  readonly hasJobs: boolean;
  /** User-Agent header of the worker. */
  readonly userAgent: string;
}

/** Maximum time that a worker's request is held open, in ms. SDKs close it after 90 s. */
const HOLD_MS = 25_000;

/** A running queue-based endpoint. It dispatches jobs to the workers that request them, and tracks which worker has which job. */
export class QueueEndpoint extends LiveEndpoint<QueueContext> {
  readonly type = 'QUEUE';
  /** Jobs of the endpoint, for callers. */
  readonly jobs: EndpointJobs;
  /** Disturbed deliveries, for tests of workers. */
  readonly disturbances = new Disturbances();
  /** Jobs that workers have. */
  readonly #leased: LeasedJobs;
  /** Jobs that wait for debugged workers. */
  readonly #reserved: ReservedJobs;

  /** @param adoptions processes of an earlier platform */
  constructor(endpoint: EndpointRecord, context: QueueContext, adoptions: readonly Adoption[] = []) {
    super(endpoint, context);
    this.jobs = new EndpointJobs(context.jobs, endpoint.id, {
      onChange: () => this.changed(),
      onCanceled: (jobId) => this.revoke(jobId),
    });
    this.#reserved = new ReservedJobs(endpoint.id, context.store.jobs, () => this.changed());
    this.#leased = new LeasedJobs(context, this.workers, {
      changed: () => this.changed(),
      hasWaitingJobs: () => this.waitingSince(1).length > 0,
    });
    this.workers.adopt(adoptions);
    this.#leased.resume();
    // A worker that loads its model has not asked for a job yet.
    for (const worker of this.workers.active()) if (worker.ready) this.#leased.expectRequest(this.#leased.of(worker));
    this.adapt();
  }

  /** Adds a job to the queue. Resolves once the job is stored. See `JobQueue.submit`. @throws Refusal 409 */
  submit(request: JobRequest, submission: Submission): Promise<JobRecord> {
    return this.context.jobs.submit(this.endpoint.id, request, submission);
  }

  /** Returns whether the current process of the worker has sent a request with this token from this address. */
  authenticate({ workerId, token, peer }: WorkerCaller): boolean {
    return this.workers.find(workerId)?.authenticate(token, peer) === true;
  }

  protected waitingSince(horizon: number): number[] {
    return this.#reserved.waitingSince(horizon, (limit) =>
      this.context.store.jobs.queuedSince(this.endpoint.id, limit),
    );
  }

  protected override reserveJobs(...args: Parameters<ReservedJobs['reserve']>): Reservation {
    return this.#reserved.reserve(...args);
  }

  workerEnding(worker: Worker): void {
    this.#leased.get(worker.id)?.releaseRequests();
  }

  reachabilityChanged(worker: Worker): void {
    this.#leased.get(worker.id)?.onReachabilityChanged();
  }

  processEnded(worker: Worker): void {
    this.disturbances.releaseAll();
    // Stores pending results first. Otherwise, their jobs would be lost with the worker and run again.
    this.context.jobs.flush();
    const leases = this.#leased.get(worker.id);
    leases?.releaseRequests();
    // Until the loss of these jobs is stored, neither a deadline nor the next process may affect them.
    for (const id of worker.work) leases?.beginStoring(id);
  }

  workLost(worker: Worker, { reason, held, intended, transaction }: LostWork): void {
    const event = intended ? ({ kind: 'returned' } as const) : ({ kind: 'workerLost', reason } as const);
    for (const id of held) this.context.jobs.apply(this.endpoint.id, id, event, { workerId: worker.id });
    transaction.afterCommit(() => {
      // After retries on a full disk, the worker may have already stopped.
      const leases = this.#leased.get(worker.id);
      for (const id of held) leases?.release(id, false);
    });
  }

  debuggedChanged(worker: Worker): void {
    this.#leased.get(worker.id)?.setPaused(worker.debugged);
  }

  workerEnded(worker: Worker): void {
    this.#leased.close(worker.id);
  }

  /**
   * Resolves with jobs for a worker. Waits up to `HOLD_MS` ms for one. The request also shows that the worker is up, and whether it has
   * dropped its jobs.
   *
   * @returns an empty list if there are no jobs for the worker
   */
  async take(workerId: string, call: TakeCall, signal: AbortSignal): Promise<readonly TakenJob[]> {
    const worker = this.workers.find(workerId);
    if (!worker || worker.ending || this.workers.closed) return [];
    const leases = this.#leased.of(worker);
    if (!call.hasJobs) this.#leased.failAll(leases);
    worker.markReady(sharedStateWarning(call.userAgent, this.endpoint.workers.max));
    leases.onRequest();
    const offer = leases.takes.wait(HOLD_MS, signal, call.limit);
    this.changed();
    const jobs = await offer;
    if (!jobs) this.#leased.expectRequest(leases);
    return jobs ?? [];
  }

  /** Returns a job to the queue, because the response with the job did not reach the worker. */
  undelivered(workerId: string, { job }: TakenJob): void {
    retryWhileFull(this.context.realClock, () => {
      const leases = this.#leased.get(workerId);
      const lease = leases?.of(job.id);
      if (!leases || lease?.attempt !== job.retries) return;
      this.context.jobs.apply(this.endpoint.id, job.id, { kind: 'returned' }, lease);
      leases.release(job.id, false);
      this.changed();
    });
  }

  /** Resolves with the jobs that the worker must drop. Waits up to `HOLD_MS` ms for one. */
  async jobsToStop(workerId: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const worker = this.workers.find(workerId);
    if (!worker || worker.ending) return undefined;
    return this.#leased.of(worker).jobsToStop(HOLD_MS, signal);
  }

  /**
   * Stores a worker's result. Ignored unless the worker has the job. On a full disk, the result is held and the worker waits, because the
   * result may have taken hours.
   */
  async finished(workerId: string, jobId: string, result: JobResult, refresh: boolean): Promise<void> {
    const leases = this.#leased.get(workerId);
    if (!leases) return;
    const lease = leases.of(jobId);
    if (lease) await this.#store(leases, jobId, lease, result);
    this.#leased.expectRequest(leases);
    if (refresh) this.workers.restart(leases.worker, 'requested by the worker');
    this.changed();
  }

  /** Returns a job to the queue as if the result of its worker had not arrived. The worker has finished the job. */
  loseResult(workerId: string, jobId: string): void {
    this.expireLease(jobId);
    this.#leased.get(workerId)?.release(jobId, true);
    this.changed();
  }

  /**
   * Returns a running job to the queue although its worker still runs it. Another worker can receive the job then. The first one cannot,
   * because it has not dropped the job.
   *
   * @returns whether the job was running
   */
  expireLease(jobId: string): boolean {
    const holder = this.#leased.holderOf(jobId);
    if (!holder) return false;
    const event: JobEvent = { kind: 'workerLost', reason: 'lost its lease' };
    const expired = this.context.jobs.apply(this.endpoint.id, jobId, event, holder.of(jobId));
    this.changed();
    return expired !== undefined;
  }

  /** Kills the worker of a running job. Resolves once its process has ended, with whether the job was running. */
  async killHolder(jobId: string): Promise<boolean> {
    const holder = this.#leased.holderOf(jobId);
    if (!holder) return false;
    await this.killWorker(holder.workerId);
    return true;
  }

  /** Kills the process of a worker, which counts as a crash. Resolves once it has ended. */
  async killWorker(workerId: string): Promise<void> {
    const running = this.workers.find(workerId)?.process;
    await (running?.kill?.() ?? running?.stop(0));
  }

  async #store(leases: Leases, jobId: string, lease: Lease, result: JobResult): Promise<void> {
    const isHeld = (): boolean => leases.of(jobId) === lease;
    leases.beginStoring(jobId);
    try {
      await retryUntilStored(
        this.context.realClock,
        () => this.context.jobs.finish(this.endpoint.id, jobId, lease, result),
        () => !this.workers.closed && isHeld(),
      );
    } catch (error) {
      if (isHeld()) leases.abortStoring(jobId);
      throw error;
    }
    if (isHeld()) leases.release(jobId, true);
  }

  /** Stores a progress report. Ignored unless the worker has the job. */
  async progress(workerId: string, jobId: string, output: unknown): Promise<void> {
    const leases = this.#leased.get(workerId);
    const lease = leases?.of(jobId);
    if (!lease) return;
    leases?.confirm(jobId);
    await this.context.jobs.report(this.endpoint.id, jobId, lease, output);
  }

  /** Stores a part of the output. Ignored unless the worker has the job. On a full disk, the worker waits as with a result. */
  async chunk(workerId: string, jobId: string, output: unknown): Promise<void> {
    const { jobs, realClock } = this.context;
    const leases = this.#leased.get(workerId);
    const lease = leases?.of(jobId);
    if (!lease) return;
    leases?.confirm(jobId);
    await retryUntilStored(
      realClock,
      () => jobs.appendChunk(this.endpoint.id, jobId, lease, output),
      () => !this.workers.closed && leases?.of(jobId) === lease,
    );
  }

  /** Writes a line to the worker's system log. */
  note(workerId: string, line: SystemLine): void {
    this.workers.find(workerId)?.note(line);
  }

  /** Processes a heartbeat with the jobs that the worker reports. */
  ping(workerId: string, jobIds: readonly string[]): void {
    const leases = this.#leased.get(workerId);
    if (!leases) return;
    for (const id of leases.heartbeat(jobIds)) this.#leased.fail(leases, id);
  }

  /** Instructs every worker with the job to drop it. See `LeasedJobs.revoke`. */
  revoke(jobId: string): void {
    this.#leased.revoke(jobId);
    this.changed();
  }

  /**
   * Assigns the jobs that have waited longest to the workers that request jobs. It works in rounds: each worker gets its first job before
   * any worker gets its second.
   */
  protected dispatch(): void {
    for (;;) {
      const polling = this.workers
        .active()
        .filter(({ draining }) => !draining)
        .map((worker) => this.#leased.of(worker))
        .filter(({ takes }) => takes.size > 0);
      if (polling.length === 0) return;
      const jobs = this.context.jobs.dispatch(this.endpoint.id, roundRobin(polling), (count) =>
        this.#reserved.reservations(count),
      );
      if (jobs.length === 0) return;
      for (const leases of polling) {
        const assigned = jobs.filter(({ job }) => job.workerId === leases.worker.id);
        for (const { job } of assigned) this.#leased.grant(leases, job);
        if (assigned.length > 0) leases.takes.give(assigned);
        for (const { job } of assigned) this.#reserved.taken(job);
      }
    }
  }
}

/** Returns the worker for each of the next jobs, in order. */
function roundRobin(polling: readonly Leases[]): Leases[] {
  const limits = polling.map(({ takes }) => takes.firstRequest ?? 0);
  const rounds = Array.from({ length: Math.max(...limits) }, (_, round) => round);
  return rounds.flatMap((round) => polling.filter((_, index) => (limits[index] ?? 0) > round));
}
