import type { JobRequest } from '../../contract/job.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { executionTimeout, type JobEvent, type JobRecord } from '../domain/job.ts';
import type { Reservation } from '../workers/debugSession.ts';
import type { WorkerPoolContext } from '../workers/workerPool.ts';
import { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { retryUntilStored, retryWhileFull } from '../store/fullDisk.ts';
import type { Adoption, Worker } from '../workers/worker.ts';
import type { LostWork } from '../workers/workSource.ts';
import { sharedStateWarning } from '../runtimes/workerEnvironment.ts';
import { Disturbances } from './disturbances.ts';
import { EndpointJobs } from './endpointJobs.ts';
import type { Lease } from './jobChanges.ts';
import type { JobQueue, JobResult, Submission, TakenJob } from './jobQueue.ts';
import { Leases, type Doubt } from './leases.ts';
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

const WITHOUT_RESULT: JobEvent = {
  kind: 'failed',
  error: 'the worker ended the job without a result; its output may contain values that JSON cannot represent',
};

const LOST_ON_THE_WAY: Readonly<Record<Doubt, JobEvent>> = {
  /** Counts as a lost worker, so a job whose result can never be delivered is not retried forever. */
  unreachable: { kind: 'workerLost', reason: 'could not be reached, and had no result afterward' },
  restarted: { kind: 'returned' },
};

/** Minimum time that a worker has to deliver results after a restart of the platform, in ms. */
const RETURN_MS = 30_000;

/** A running queue-based endpoint. It dispatches jobs to the workers that request them, and tracks which worker has which job. */
export class QueueEndpoint extends LiveEndpoint<QueueContext> {
  readonly type = 'QUEUE';
  /** Jobs of the endpoint, for callers. */
  readonly jobs: EndpointJobs;
  /** Disturbed deliveries, for tests of workers. */
  readonly disturbances = new Disturbances();
  readonly #leases = new Map<string, Leases>();
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
    this.workers.adopt(adoptions);
    this.#resumeJobs();
    // A worker that loads its model has not asked for a job yet.
    for (const worker of this.workers.active()) if (worker.ready) this.#expectRequest(this.#leasesOf(worker));
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
    this.#leases.get(worker.id)?.releaseRequests();
  }

  reachabilityChanged(worker: Worker): void {
    this.#leases.get(worker.id)?.onReachabilityChanged();
  }

  processEnded(worker: Worker): void {
    this.disturbances.releaseAll();
    // Stores pending results first. Otherwise, their jobs would be lost with the worker and run again.
    this.context.jobs.flush();
    const leases = this.#leases.get(worker.id);
    leases?.releaseRequests();
    // Until the loss of these jobs is stored, neither a deadline nor the next process may affect them.
    for (const id of worker.work) leases?.beginStoring(id);
  }

  workLost(worker: Worker, { reason, held, intended, transaction }: LostWork): void {
    const event = intended ? ({ kind: 'returned' } as const) : ({ kind: 'workerLost', reason } as const);
    for (const id of held) this.context.jobs.apply(this.endpoint.id, id, event, { workerId: worker.id });
    transaction.afterCommit(() => {
      // After retries on a full disk, the worker may have already stopped.
      const leases = this.#leases.get(worker.id);
      for (const id of held) leases?.release(id, false);
    });
  }

  debuggedChanged(worker: Worker): void {
    this.#leases.get(worker.id)?.setPaused(worker.debugged);
  }

  workerEnded(worker: Worker): void {
    this.#leases.get(worker.id)?.close();
    this.#leases.delete(worker.id);
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
    const leases = this.#leasesOf(worker);
    if (!call.hasJobs) this.#failAll(leases);
    worker.markReady(sharedStateWarning(call.userAgent, this.endpoint.workers.max));
    leases.onRequest();
    const offer = leases.takes.wait(HOLD_MS, signal, call.limit);
    this.changed();
    const jobs = await offer;
    if (!jobs) this.#expectRequest(leases);
    return jobs ?? [];
  }

  /** Returns a job to the queue, because the response with the job did not reach the worker. */
  undelivered(workerId: string, { job }: TakenJob): void {
    retryWhileFull(this.context.realClock, () => {
      const leases = this.#leases.get(workerId);
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
    return this.#leasesOf(worker).jobsToStop(HOLD_MS, signal);
  }

  /**
   * Stores a worker's result. Ignored unless the worker has the job. On a full disk, the result is held and the worker waits, because the
   * result may have taken hours.
   */
  async finished(workerId: string, jobId: string, result: JobResult, refresh: boolean): Promise<void> {
    const leases = this.#leases.get(workerId);
    if (!leases) return;
    const lease = leases.of(jobId);
    if (lease) await this.#store(leases, jobId, lease, result);
    this.#expectRequest(leases);
    if (refresh) this.workers.restart(leases.worker, 'requested by the worker');
    this.changed();
  }

  /** Returns a job to the queue as if the result of its worker had not arrived. The worker has finished the job. */
  loseResult(workerId: string, jobId: string): void {
    this.expireLease(jobId);
    this.#leases.get(workerId)?.release(jobId, true);
    this.changed();
  }

  /**
   * Returns a running job to the queue although its worker still runs it. Another worker can receive the job then. The first one cannot,
   * because it has not dropped the job.
   *
   * @returns whether the job was running
   */
  expireLease(jobId: string): boolean {
    const holder = this.#holderOf(jobId);
    if (!holder) return false;
    const event: JobEvent = { kind: 'workerLost', reason: 'lost its lease' };
    const expired = this.context.jobs.apply(this.endpoint.id, jobId, event, holder.of(jobId));
    this.changed();
    return expired !== undefined;
  }

  /** Kills the worker of a running job. Resolves once its process has ended, with whether the job was running. */
  async killHolder(jobId: string): Promise<boolean> {
    const holder = this.#holderOf(jobId);
    if (!holder) return false;
    await this.killWorker(holder.workerId);
    return true;
  }

  /** Kills the process of a worker, which counts as a crash. Resolves once it has ended. */
  async killWorker(workerId: string): Promise<void> {
    const running = this.workers.find(workerId)?.process;
    await (running?.kill?.() ?? running?.stop(0));
  }

  /** Returns the leases of the worker that has the current attempt of a job. */
  #holderOf(jobId: string): Leases | undefined {
    const job = this.context.store.jobs.get(this.endpoint.id, jobId);
    if (job?.status !== 'IN_PROGRESS') return undefined;
    return [...this.#leases.values()].find(
      (leases) => leases.workerId === job.workerId && leases.of(jobId)?.attempt === job.retries,
    );
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
    const leases = this.#leases.get(workerId);
    const lease = leases?.of(jobId);
    if (!lease) return;
    leases?.confirm(jobId);
    await this.context.jobs.report(this.endpoint.id, jobId, lease, output);
  }

  /** Stores a part of the output. Ignored unless the worker has the job. On a full disk, the worker waits as with a result. */
  async chunk(workerId: string, jobId: string, output: unknown): Promise<void> {
    const { jobs, realClock } = this.context;
    const leases = this.#leases.get(workerId);
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
    const leases = this.#leases.get(workerId);
    if (!leases) return;
    for (const id of leases.heartbeat(jobIds)) this.#fail(leases, id);
  }

  /**
   * Instructs every worker with the job to drop it, because the job was canceled, deleted, or timed out. Restarts a worker that does not
   * comply. Several workers have the job if it was retried before the first one dropped it.
   */
  revoke(jobId: string): void {
    for (const holder of this.workers.active().filter(({ work }) => work.has(jobId))) {
      this.#leasesOf(holder).revoke(jobId, () =>
        this.workers.restart(holder, `job ${jobId} was canceled but is still running`),
      );
    }
    this.changed();
  }

  /** Restarts a free worker that requests no job although jobs are waiting, because it is stuck. */
  #expectRequest(leases: Leases): void {
    const { worker, takes } = leases;
    leases.expectRequest(() => {
      if (worker.draining || worker.load > 0 || takes.size > 0) return;
      if (this.waitingSince(1).length === 0) this.#expectRequest(leases);
      else this.workers.restart(worker, 'it stopped requesting jobs although jobs are waiting');
    });
  }

  #leasesOf(worker: Worker): Leases {
    let leases = this.#leases.get(worker.id);
    if (!leases) {
      leases = new Leases(worker, this.context);
      leases.setPaused(worker.debugged);
      this.#leases.set(worker.id, leases);
    }
    return leases;
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
        .map((worker) => this.#leasesOf(worker))
        .filter(({ takes }) => takes.size > 0);
      if (polling.length === 0) return;
      const jobs = this.context.jobs.dispatch(this.endpoint.id, roundRobin(polling), (count) =>
        this.#reserved.reservations(count),
      );
      if (jobs.length === 0) return;
      for (const leases of polling) {
        const assigned = jobs.filter(({ job }) => job.workerId === leases.worker.id);
        for (const { job } of assigned) this.#grant(leases, job);
        if (assigned.length > 0) leases.takes.give(assigned);
        for (const { job } of assigned) this.#reserved.taken(job);
      }
    }
  }

  /** Leases the jobs that adopted workers have to them again, for the time that is left. */
  #resumeJobs(): void {
    const { store, clock } = this.context;
    for (const id of store.jobs.ids(this.endpoint.id, 'IN_PROGRESS', {})) {
      const job = store.jobs.get(this.endpoint.id, id);
      const worker = job && this.workers.find(job.workerId ?? '');
      if (!worker) continue;
      const leases = this.#leasesOf(worker);
      const ms = executionTimeout(job, this.endpoint.timeout);
      const left = (job.startedAt ?? 0) + ms - clock.now();
      this.#grant(leases, job, Math.min(Math.max(left, RETURN_MS), ms));
      leases.doubt(id, 'restarted');
    }
  }

  #grant(leases: Leases, job: JobRecord, leftMs?: number): void {
    const { jobs } = this.context;
    const { worker } = leases;
    const afterMs = executionTimeout(job, this.endpoint.timeout);
    leases.grant(job, leftMs ?? afterMs, (lease) => {
      if (!jobs.apply(this.endpoint.id, job.id, { kind: 'timedOut', afterMs }, lease)) return;
      const restart = (): void =>
        this.workers.restart(worker, `job ${job.id} exceeded its execution timeout of ${afterMs} ms`);
      // A worker that can drop one job keeps its process, its loaded models, and its other jobs.
      if (leases.pollsForStops) leases.revoke(job.id, restart);
      else restart();
      this.changed();
    });
  }

  /** Fails the jobs of a worker that reports none. The worker has dropped them, or could not deliver their results. */
  #failAll(leases: Leases): void {
    for (const id of leases.open) this.#fail(leases, id);
  }

  /** Fails a job that its worker does not have, or returns it to the queue if the job or its result may have been lost on the way. */
  #fail(leases: Leases, jobId: string): void {
    retryWhileFull(this.context.realClock, () => {
      const lease = leases.of(jobId);
      if (!lease) return;
      const doubt = leases.doubtAbout(jobId);
      const event = doubt === undefined ? WITHOUT_RESULT : LOST_ON_THE_WAY[doubt];
      this.context.jobs.apply(this.endpoint.id, jobId, event, lease);
      leases.release(jobId, false);
      this.changed();
    });
  }
}

/** Returns the worker for each of the next jobs, in order. */
function roundRobin(polling: readonly Leases[]): Leases[] {
  const limits = polling.map(({ takes }) => takes.firstRequest ?? 0);
  const rounds = Array.from({ length: Math.max(...limits) }, (_, round) => round);
  return rounds.flatMap((round) => polling.filter((_, index) => (limits[index] ?? 0) > round));
}
