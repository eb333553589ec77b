import { executionTimeout, type JobEvent, type JobRecord } from '../domain/job.ts';
import { retryWhileFull } from '../store/fullDisk.ts';
import type { Store } from '../store/store.ts';
import type { Clocks } from '../time/clock.ts';
import type { Worker } from '../workers/worker.ts';
import type { WorkerPool } from '../workers/workerPool.ts';
import type { JobQueue } from './jobQueue.ts';
import { Leases, type Doubt } from './leases.ts';

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

interface LeasingContext extends Clocks {
  readonly store: Store;
  readonly jobs: JobQueue;
}

interface LeasingEndpoint {
  /** Dispatches work, because a worker or a job became free. */
  readonly changed: () => void;
  readonly hasWaitingJobs: () => boolean;
}

/** The jobs that the workers of an endpoint have, and what happens to those that their workers do not finish. */
export class LeasedJobs {
  readonly #context: LeasingContext;
  readonly #workers: WorkerPool;
  readonly #owner: LeasingEndpoint;
  readonly #leases = new Map<string, Leases>();

  constructor(context: LeasingContext, workers: WorkerPool, owner: LeasingEndpoint) {
    this.#context = context;
    this.#workers = workers;
    this.#owner = owner;
  }

  /** Returns the leases of a worker that has requested or received a job. */
  get(workerId: string): Leases | undefined {
    return this.#leases.get(workerId);
  }

  /** Returns the leases of a worker. */
  of(worker: Worker): Leases {
    let leases = this.#leases.get(worker.id);
    if (!leases) {
      leases = new Leases(worker, this.#context);
      leases.setPaused(worker.debugged);
      this.#leases.set(worker.id, leases);
    }
    return leases;
  }

  /** Ends all leases and all open requests of a worker, because it has stopped. */
  close(workerId: string): void {
    this.#leases.get(workerId)?.close();
    this.#leases.delete(workerId);
  }

  /** Returns the leases of the worker that has the current attempt of a job. */
  holderOf(jobId: string): Leases | undefined {
    const job = this.#context.store.jobs.get(this.#workers.endpoint.id, jobId);
    if (job?.status !== 'IN_PROGRESS') return undefined;
    return [...this.#leases.values()].find(
      (leases) => leases.workerId === job.workerId && leases.of(jobId)?.attempt === job.retries,
    );
  }

  /** Leases the jobs that adopted workers have to them again, for the time that is left. */
  resume(): void {
    const { store, clock } = this.#context;
    for (const id of store.jobs.ids(this.#workers.endpoint.id, 'IN_PROGRESS', {})) {
      const job = store.jobs.get(this.#workers.endpoint.id, id);
      const worker = job && this.#workers.find(job.workerId ?? '');
      if (!worker) continue;
      const leases = this.of(worker);
      const ms = executionTimeout(job, this.#workers.endpoint.timeout);
      const left = (job.startedAt ?? 0) + ms - clock.now();
      this.grant(leases, job, Math.min(Math.max(left, RETURN_MS), ms));
      leases.doubt(id, 'restarted');
    }
  }

  /** Leases the job to the worker for its execution timeout, or for `leftMs` ms. Afterward, the job times out. */
  grant(leases: Leases, job: JobRecord, leftMs?: number): void {
    const { jobs } = this.#context;
    const { worker } = leases;
    const afterMs = executionTimeout(job, this.#workers.endpoint.timeout);
    leases.grant(job, leftMs ?? afterMs, (lease) => {
      if (!jobs.apply(this.#workers.endpoint.id, job.id, { kind: 'timedOut', afterMs }, lease)) return;
      const restart = (): void =>
        this.#workers.restart(worker, `job ${job.id} exceeded its execution timeout of ${afterMs} ms`);
      // A worker that can drop one job keeps its process, its loaded models, and its other jobs.
      if (leases.pollsForStops) leases.revoke(job.id, restart);
      else restart();
      this.#owner.changed();
    });
  }

  /**
   * Instructs every worker with the job to drop it, because the job was canceled, deleted, or timed out. Restarts a worker that does not
   * comply. Several workers have the job if it was retried before the first one dropped it.
   */
  revoke(jobId: string): void {
    for (const holder of this.#workers.active().filter(({ work }) => work.has(jobId))) {
      this.of(holder).revoke(jobId, () =>
        this.#workers.restart(holder, `job ${jobId} was canceled but is still running`),
      );
    }
  }

  /** Restarts a free worker that requests no job although jobs are waiting, because it is stuck. */
  expectRequest(leases: Leases): void {
    const { worker, takes } = leases;
    leases.expectRequest(() => {
      if (worker.draining || worker.load > 0 || takes.size > 0) return;
      if (!this.#owner.hasWaitingJobs()) this.expectRequest(leases);
      else this.#workers.restart(worker, 'it stopped requesting jobs although jobs are waiting');
    });
  }

  /** Fails the jobs of a worker that reports none. The worker has dropped them, or could not deliver their results. */
  failAll(leases: Leases): void {
    for (const id of leases.open) this.fail(leases, id);
  }

  /** Fails a job that its worker does not have, or returns it to the queue if the job or its result may have been lost on the way. */
  fail(leases: Leases, jobId: string): void {
    retryWhileFull(this.#context.realClock, () => {
      const lease = leases.of(jobId);
      if (!lease) return;
      const doubt = leases.doubtAbout(jobId);
      const event = doubt === undefined ? WITHOUT_RESULT : LOST_ON_THE_WAY[doubt];
      this.#context.jobs.apply(this.#workers.endpoint.id, jobId, event, lease);
      leases.release(jobId, false);
      this.#owner.changed();
    });
  }
}
