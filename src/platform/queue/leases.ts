import type { Clock } from '../time/clock.ts';
import type { Worker } from '../workers/worker.ts';
import type { TakenJob } from './jobQueue.ts';
import { Waiters } from './waiters.ts';

/** Number of consecutive heartbeats without a job after which the job counts as lost. */
const MISSED_PINGS = 3;
/** Time that a worker has to drop a revoked job, in ms. */
const LET_GO_MS = 5_000;
/**
 * The same limit for a worker with other jobs, which a restart would lose, in ms. A full worker requests no jobs, so only its heartbeats,
 * every 10 s, show that it has dropped the job.
 */
const LET_GO_OF_ONE_MS = 25_000;

/**
 * Time without a request after which an idle worker counts as stuck, in ms. SDKs request the next job at once, or one second after the last
 * one.
 */
const SILENT_MS = 60_000;

interface Clocks {
  /** Measures the deadlines of jobs. */
  readonly clock: Clock;
  /** Has the same time as `clock`, but waits in real time, as workers do. */
  readonly realWaits: Clock;
}

/** Leases of the jobs of one worker: their deadlines, missed heartbeats, and revocations. */
export class Leases {
  readonly worker: Worker;
  /** Open requests for jobs, each with the maximum number of jobs. */
  readonly takes: Waiters<readonly TakenJob[], number>;
  /** Open requests for jobs to drop. */
  readonly #stops: Waiters<readonly string[]>;
  readonly #clocks: Clocks;
  #listens = false;
  /** Revoked jobs that the worker has not been told to drop yet. */
  #toStop: string[] = [];
  readonly #cancelDeadline = new Map<string, () => void>();
  readonly #missedPings = new Map<string, number>();
  #cancelSilence: (() => void) | undefined;
  #expectedAnew = false;
  /** Revoked jobs that the worker may still be running. */
  readonly #revoked = new Set<string>();
  /** Jobs whose results or losses are being stored. */
  readonly #arrived = new Set<string>();

  constructor(worker: Worker, clocks: Clocks) {
    this.worker = worker;
    this.#clocks = clocks;
    this.takes = new Waiters(clocks.realWaits);
    this.#stops = new Waiters(clocks.realWaits);
  }

  has(jobId: string): boolean {
    return this.worker.work.has(jobId);
  }

  /** Leases the job to the worker for at most `ms` ms. */
  grant(jobId: string, ms: number, onDeadline: () => void): void {
    this.#forget(jobId);
    this.worker.begin(jobId);
    const onTime = (): void => {
      if (!this.#arrived.has(jobId)) onDeadline();
    };
    this.#cancelDeadline.set(jobId, this.#clocks.clock.after(ms, onTime));
  }

  /** Marks the outcome of a job as known. While it is being stored, the job has no deadline and is not expected in heartbeats. */
  arrived(jobId: string): void {
    if (this.has(jobId)) this.#arrived.add(jobId);
  }

  /** Reverts `arrived` after the outcome could not be stored. */
  refused(jobId: string): void {
    this.#arrived.delete(jobId);
  }

  /** Jobs of the worker whose outcome is unknown. */
  get open(): string[] {
    return [...this.worker.work].filter((id) => !this.#arrived.has(id));
  }

  /** Ends the lease of a job. @param delivered whether the worker delivered a result, which proves that it is healthy */
  release(jobId: string, delivered: boolean): void {
    this.#forget(jobId);
    this.worker.finish(jobId, delivered);
  }

  /** Whether the worker polls for jobs to drop. SDKs that can cancel one of several jobs do so. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Tells the worker once to drop a job. Calls `onIgnored` if the worker does not drop it in time. */
  revoke(jobId: string, onIgnored: () => void): void {
    if (this.#revoked.has(jobId)) return;
    this.#forget(jobId);
    const ms = this.worker.work.size > 1 ? LET_GO_OF_ONE_MS : LET_GO_MS;
    this.#cancelDeadline.set(jobId, this.#clocks.realWaits.after(ms, onIgnored));
    this.#revoked.add(jobId);
    this.#toStop.push(jobId);
    if (this.#stops.size > 0) this.#stops.give(this.#takeToStop());
  }

  /** Resolves with the jobs to drop. Waits up to `holdMs` ms until there is one. */
  async jobsToStop(holdMs: number, signal: AbortSignal): Promise<readonly string[] | undefined> {
    this.#listens = true;
    return this.#toStop.length > 0 ? this.#takeToStop() : this.#stops.wait(holdMs, signal);
  }

  /**
   * Processes a heartbeat that names these jobs. Returns the jobs that were missing too often. A revoked job may not be missing even once.
   */
  heartbeat(jobIds: readonly string[]): string[] {
    return this.open.filter((id) => {
      const missed = jobIds.includes(id) ? 0 : (this.#missedPings.get(id) ?? 0) + 1;
      this.#missedPings.set(id, missed);
      return missed >= (this.#revoked.has(id) ? 1 : MISSED_PINGS);
    });
  }

  /** Cancels `expectToAsk`, because the worker has requested a job. */
  asks(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
  }

  /** Calls back once the worker has requested no job for one to two times `SILENT_MS`. */
  expectToAsk(onSilent: () => void): void {
    // Called for every result, which is too often to set a timer each time. The pending timer checks whether there was another call.
    this.#expectedAnew = this.#cancelSilence !== undefined;
    if (this.#expectedAnew) return;
    this.#cancelSilence = this.#clocks.realWaits.after(SILENT_MS, () => {
      this.#cancelSilence = undefined;
      if (this.#expectedAnew) this.expectToAsk(onSilent);
      else onSilent();
    });
  }

  /** Ends the worker's open requests without a value. */
  answerAll(): void {
    this.asks();
    this.takes.release();
    this.#stops.release();
  }

  /** Ends all leases and all open requests, because the worker has stopped. */
  close(): void {
    this.answerAll();
    for (const jobId of [...this.worker.work]) this.release(jobId, false);
  }

  #takeToStop(): readonly string[] {
    const ids = this.#toStop;
    this.#toStop = [];
    return ids;
  }

  #forget(jobId: string): void {
    this.#cancelDeadline.get(jobId)?.();
    this.#cancelDeadline.delete(jobId);
    this.#missedPings.delete(jobId);
    this.#revoked.delete(jobId);
    this.#arrived.delete(jobId);
    this.#toStop = this.#toStop.filter((id) => id !== jobId);
  }
}
