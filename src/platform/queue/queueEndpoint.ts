import type { JobRequest } from '../../contract/job.ts';
import type { SystemLine } from '../../contract/systemLines.ts';
import { eitherClock } from '../time/clock.ts';
import type { Demand } from '../domain/autoscaler.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { executionTimeout, type JobRecord } from '../domain/job.ts';
import type { ReleaseRecord } from '../domain/release.ts';
import type { WorkerView } from '../domain/worker.ts';
import { WorkerPool, type WorkerPoolContext, type WorkSource } from '../workers/workerPool.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { throttle } from '../time/throttle.ts';
import { storedOnceFree, pausedWhileFull, retryWhileFull } from '../store/fullDisk.ts';
import type { LostWork, Worker } from '../workers/worker.ts';
import { sharedStateWarning } from '../runtimes/workerEnvironment.ts';
import { EndpointJobs } from './endpointJobs.ts';
import type { JobQueue, JobResult, TakenJob } from './jobQueue.ts';
import { Leases } from './leases.ts';

export interface QueueContext extends WorkerPoolContext {
  readonly jobs: JobQueue;
}

/** A worker's question for jobs. */
export interface TakeCall {
  /** How many it takes at most, at least 1. */
  readonly limit: number;
  /** It says that it is working on others. */
  readonly hasJobs: boolean;
  /** What it calls itself. */
  readonly userAgent: string;
}

/** How long a worker's question is held open. Workers give up after 90 s (facts, worker protocol, section 3). */
const HOLD_MS = 25_000;

/** Time between two decisions on the number of workers, in ms: jobs come and go a thousand times as often as workers start. */
const SCALING_PAUSE_MS = 20;

/** A queue-based endpoint that is alive: hands its jobs to the workers that ask for one, and keeps account of who has which. */
export class QueueEndpoint implements LiveEndpoint, WorkSource {
  readonly type = 'QUEUE';
  /** Its jobs, for callers. */
  readonly jobs: EndpointJobs;
  readonly #context: QueueContext;
  readonly #workers: WorkerPool;
  readonly #leases = new Map<string, Leases>();
  readonly #adapt: () => void;
  #changePending = false;

  constructor(endpoint: EndpointRecord, context: QueueContext) {
    this.#context = context;
    this.#workers = new WorkerPool(endpoint, context, this);
    this.jobs = new EndpointJobs(context.jobs, endpoint.id, {
      onChange: () => this.changed(),
      onCancelled: (jobId) => this.abandon(jobId),
    });
    const { clock, realWaits } = context;
    const dispatch = pausedWhileFull(realWaits, () => this.#dispatch());
    // By either clock: when the one that jobs and usage are dated by is advanced, no decision on the way may be left out.
    const scale = throttle(
      eitherClock(clock, realWaits),
      SCALING_PAUSE_MS,
      pausedWhileFull(realWaits, () => this.#workers.scale()),
    );
    this.#adapt = () => {
      if (this.#workers.closed) return;
      dispatch();
      scale();
    };
    this.#adapt();
  }

  get endpoint(): EndpointRecord {
    return this.#workers.endpoint;
  }

  views(): WorkerView[] {
    return this.#workers.views();
  }

  get standby(): number {
    return this.#workers.standby;
  }

  get waiting(): number {
    return this.#workers.waiting;
  }

  releases(): ReleaseRecord[] {
    return this.#context.store.endpoints.releases(this.endpoint.id);
  }

  hasHad(workerId: string): boolean {
    return this.#context.store.runs.getWorker(this.endpoint.id, workerId) !== undefined;
  }

  /** The job is stored when this resolves. */
  submit(request: JobRequest, kind: 'run' | 'runsync'): Promise<JobRecord> {
    return this.#context.jobs.submit(this.endpoint.id, request, kind);
  }

  /** Whether the secret is that of its worker with that id. */
  authenticate(workerId: string, token: string): boolean {
    return this.#workers.find(workerId)?.token === token;
  }

  update(endpoint: EndpointRecord, options: { replaceWorkers: boolean }): void {
    this.#workers.update(endpoint, options);
  }

  /** Ends all workers; what they were working on goes back to the queue. */
  close(reason: string): Promise<void> {
    return this.#workers.close(reason);
  }

  /** The queue or the workers have changed: hands out jobs and adapts the number of workers, once for all that changes in one turn. */
  changed(): void {
    if (this.#changePending) return;
    this.#changePending = true;
    setImmediate(() => {
      this.#changePending = false;
      this.#adapt();
    });
  }

  demand(horizon: number): Demand {
    return {
      waitingSince: this.#context.store.jobs.queuedSince(this.endpoint.id, horizon),
      running: this.#workers.active().reduce((sum, { load }) => sum + load, 0),
    };
  }

  ending(worker: Worker): void {
    this.#leases.get(worker.id)?.answerAll();
  }

  gone(worker: Worker): void {
    // A result that has arrived is stored first. Otherwise its job would be lost with the worker, and run again.
    this.#context.jobs.flush();
    const leases = this.#leases.get(worker.id);
    leases?.answerAll();
    // Until their loss is stored, neither a deadline nor the next process decides on these jobs.
    for (const id of worker.work) leases?.arrived(id);
  }

  lost(worker: Worker, { reason, held, intended, transaction }: LostWork): void {
    const event = intended ? ({ kind: 'returned' } as const) : ({ kind: 'workerLost', reason } as const);
    for (const id of held) this.#context.jobs.apply(this.endpoint.id, id, event, worker.id);
    transaction.afterCommit(() => {
      // On a full disk, the worker may have left by now.
      const leases = this.#leases.get(worker.id);
      for (const id of held) leases?.release(id, false);
    });
  }

  ended(worker: Worker): void {
    this.#leases.get(worker.id)?.close();
    this.#leases.delete(worker.id);
  }

  /**
   * A worker asks for jobs; held open until there is one. Its asking tells that it is up, and which jobs it has dropped.
   *
   * @returns none when there are none for it now
   */
  async take(workerId: string, call: TakeCall, signal: AbortSignal): Promise<readonly TakenJob[]> {
    const worker = this.#workers.find(workerId);
    if (!worker || worker.replaced || this.#workers.closed) return [];
    const leases = this.#leasesOf(worker);
    if (!call.hasJobs) this.#loseAll(leases);
    worker.markReady(sharedStateWarning(call.userAgent, this.endpoint.workers.max));
    leases.asks();
    const offer = leases.takes.wait(HOLD_MS, signal, call.limit);
    this.changed();
    const jobs = await offer;
    if (!jobs) this.#expectToAsk(leases);
    return jobs ?? [];
  }

  /** The answer with the job never reached the worker. */
  undelivered(workerId: string, { job }: TakenJob): void {
    retryWhileFull(this.#context.realWaits, () => {
      const leases = this.#leases.get(workerId);
      if (!leases?.has(job.id)) return;
      this.#context.jobs.apply(this.endpoint.id, job.id, { kind: 'returned' }, workerId);
      leases.release(job.id, false);
      this.changed();
    });
  }

  /** Held open until there are jobs that the worker is to drop. */
  async jobsToStop(workerId: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const worker = this.#workers.find(workerId);
    if (!worker || worker.replaced) return undefined;
    return this.#leasesOf(worker).jobsToStop(HOLD_MS, signal);
  }

  /**
   * A worker's result: stored if it still has the job, ignored if not. While the disk is full it is held, and the worker waits: nobody else
   * has what may have taken hours.
   */
  async finished(workerId: string, jobId: string, result: JobResult, refresh: boolean): Promise<void> {
    const leases = this.#leases.get(workerId);
    leases?.arrived(jobId);
    try {
      await storedOnceFree(
        this.#context.realWaits,
        () => this.#context.jobs.finish(this.endpoint.id, jobId, workerId, result),
        () => !this.#workers.closed && leases?.has(jobId) === true,
      );
    } catch (error) {
      leases?.refused(jobId);
      throw error;
    }
    if (!leases) return;
    leases.release(jobId, true);
    this.#expectToAsk(leases);
    if (refresh) this.#workers.restart(leases.worker, 'the worker asked for it');
    this.changed();
  }

  /** A progress report; ignored unless the worker still has the job. */
  progress(workerId: string, jobId: string, output: unknown): void {
    this.#context.jobs.apply(this.endpoint.id, jobId, { kind: 'progress', output }, workerId);
  }

  /** A part of the output; ignored unless the worker still has the job. While the disk is full the worker waits, as with a result. */
  async chunk(workerId: string, jobId: string, output: unknown): Promise<void> {
    const { jobs, realWaits } = this.#context;
    await storedOnceFree(
      realWaits,
      () => jobs.appendChunk(this.endpoint.id, jobId, workerId, output),
      () => !this.#workers.closed && this.#leases.get(workerId)?.has(jobId) === true,
    );
  }

  /** Writes a line to the worker's system log. */
  note(workerId: string, line: SystemLine): void {
    this.#workers.find(workerId)?.note(line);
  }

  /** A heartbeat with the jobs the worker says it has. */
  ping(workerId: string, jobIds: readonly string[]): void {
    const leases = this.#leases.get(workerId);
    for (const id of leases?.heartbeat(jobIds) ?? []) if (leases) this.#lose(leases, id);
  }

  /**
   * The job was cancelled, removed or timed out: whoever has it is told to drop it, and replaced if it does not. More than one has it when
   * it was retried before the first has let go of it.
   */
  abandon(jobId: string): void {
    for (const holder of this.#workers.active().filter(({ work }) => work.has(jobId))) {
      this.#leasesOf(holder).revoke(jobId, () =>
        this.#workers.restart(holder, `job ${jobId} was cancelled and still runs`),
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
      else this.#workers.restart(worker, 'it has stopped asking for jobs although some wait');
    });
  }

  #leasesOf(worker: Worker): Leases {
    let leases = this.#leases.get(worker.id);
    if (!leases) {
      leases = new Leases(worker, this.#context);
      this.#leases.set(worker.id, leases);
    }
    return leases;
  }

  /** Gives each worker that asks the jobs that have waited longest, as cards are dealt: all get their first before one gets its second. */
  #dispatch(): void {
    for (;;) {
      const asking = this.#workers
        .active()
        .filter(({ draining }) => !draining)
        .map((worker) => this.#leasesOf(worker))
        .filter(({ takes }) => takes.size > 0);
      if (asking.length === 0) return;
      const jobs = this.#context.jobs.dispatch(this.endpoint.id, dealtTo(asking));
      if (jobs.length === 0) return;
      for (const leases of asking) {
        const dealt = jobs.filter(({ job }) => job.workerId === leases.worker.id);
        for (const { job } of dealt) this.#grant(leases, job);
        if (dealt.length > 0) leases.takes.give(dealt);
      }
    }
  }

  #grant(leases: Leases, job: JobRecord): void {
    const { jobs } = this.#context;
    const { worker } = leases;
    const afterMs = executionTimeout(job, this.endpoint.timeout);
    leases.grant(job.id, afterMs, () => {
      if (!jobs.apply(this.endpoint.id, job.id, { kind: 'timedOut', afterMs }, worker.id)) return;
      const restart = (): void => this.#workers.restart(worker, `job ${job.id} ran longer than its ${afterMs} ms`);
      // Who can drop one job keeps its process, its loaded models and its other jobs.
      if (leases.listens) leases.revoke(job.id, restart);
      else restart();
      this.changed();
    });
  }

  /** A worker without jobs asks for one although it had some: it has dropped them, or could not deliver their results. */
  #loseAll(leases: Leases): void {
    for (const id of leases.open) this.#lose(leases, id);
  }

  #lose(leases: Leases, jobId: string): void {
    const error =
      'the worker ended the job without delivering a result; its output may hold values that JSON cannot write';
    retryWhileFull(this.#context.realWaits, () => {
      if (!leases.has(jobId)) return;
      this.#context.jobs.apply(this.endpoint.id, jobId, { kind: 'failed', error }, leases.worker.id);
      leases.release(jobId, false);
      this.changed();
    });
  }
}

/** Whose turn it is to get a job, job by job. */
function dealtTo(asking: readonly Leases[]): string[] {
  const limits = asking.map(({ takes }) => takes.question ?? 0);
  const rounds = Array.from({ length: Math.max(...limits) }, (_, round) => round);
  return rounds.flatMap((round) =>
    asking.filter((_, index) => (limits[index] ?? 0) > round).map(({ worker }) => worker.id),
  );
}
