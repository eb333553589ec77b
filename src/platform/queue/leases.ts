import type { Clocks } from '../time/clock.ts';
import { DerivedClock } from '../time/derivedClock.ts';
import type { Worker } from '../workers/worker.ts';
import type { JobRecord } from '../domain/job.ts';
import type { Lease } from './jobChanges.ts';
import type { TakenJob, Taker } from './jobQueue.ts';
import { Waiters } from './waiters.ts';

/** Number of consecutive heartbeats without a job after which the job counts as lost. */
const MAX_MISSED_PINGS = 3;
/**
 * Minimum time between heartbeats that count as missed, in ms. SDKs send one every 10 s. Heartbeats that arrive together were delayed, and
 * the worker may have sent them before it received the job. While the clock is frozen, none counts.
 */
const PING_SPACING_MS = 500;
/** Time that a worker has to drop a revoked job, in ms. */
const DROP_TIMEOUT_MS = 5_000;
/**
 * The same limit for a worker with other jobs, which a restart would lose, in ms. A full worker requests no jobs, so only its heartbeats,
 * every 10 s, show that it has dropped the job.
 */
const DROP_ONE_TIMEOUT_MS = 25_000;

/**
 * Time without a request after which an idle worker counts as stuck, in ms. SDKs request the next job at once, or one second after the last
 * one.
 */
const SILENCE_TIMEOUT_MS = 60_000;

/** Why a worker may not have a job, or its result may not have arrived: its engine was unreachable, or the platform was restarted. */
export type Doubt = 'unreachable' | 'restarted';

/**
 * Leases of the jobs of one worker: their deadlines, missed heartbeats, and revocations. A worker holds at most one attempt of a job, because
 * its messages do not name the attempt.
 */
export class Leases implements Taker {
  readonly worker: Worker;
  readonly #leases = new Map<string, Lease>();
  /** Open requests for jobs, each with the maximum number of jobs. */
  readonly takes: Waiters<readonly TakenJob[], number>;
  /** Open requests for the jobs to stop. */
  readonly #stopRequests: Waiters<readonly string[]>;
  /** Clocks of the time limits, which do not apply while the worker is debugged. */
  readonly #clocks: Readonly<Record<keyof Clocks, DerivedClock>>;
  #pollsForStops = false;
  /** Revoked jobs that have not been sent to the worker yet. */
  #toStop: string[] = [];
  readonly #cancelDeadline = new Map<string, () => void>();
  /** Heartbeats without a job since one with it, and when the last of them was counted, or the job was granted. */
  readonly #missedPings = new Map<string, { count: number; at: number }>();
  #cancelSilenceTimer: (() => void) | undefined;
  #expectedAgain = false;
  /** Revoked jobs that the worker may still be running. */
  readonly #revoked = new Set<string>();
  /** Jobs that the worker may never have received, because its connection may have been lost. */
  readonly #doubts = new Map<string, Doubt>();
  /** Jobs whose results or losses are being stored. */
  readonly #storing = new Set<string>();

  constructor(worker: Worker, clocks: Clocks) {
    this.worker = worker;
    this.#clocks = { clock: new DerivedClock(clocks.clock), realClock: new DerivedClock(clocks.realClock) };
    this.takes = new Waiters(clocks.realClock);
    this.#stopRequests = new Waiters(clocks.realClock);
  }

  /** Pauses all time limits of the worker and its jobs, or continues them with the time that is left. */
  setPaused(paused: boolean): void {
    for (const clock of Object.values(this.#clocks)) {
      if (paused) clock.pause();
      else clock.resume();
    }
  }

  get workerId(): string {
    return this.worker.id;
  }

  get version(): number {
    return this.worker.version;
  }

  get revoked(): number {
    return this.#revoked.size;
  }

  has(jobId: string): boolean {
    return this.#leases.has(jobId);
  }

  /** Returns the lease of a job. It is another object for each attempt. */
  of(jobId: string): Lease | undefined {
    return this.#leases.get(jobId);
  }

  /** Leases the job to the worker for at most `ms` ms. */
  grant({ id, retries }: JobRecord, ms: number, onDeadline: (lease: Lease) => void): void {
    const lease = { workerId: this.worker.id, attempt: retries };
    this.#leases.set(id, lease);
    this.#missedPings.set(id, { count: 0, at: this.#clocks.realClock.now() });
    this.worker.begin(id);
    if (this.worker.unreachable) this.doubt(id, 'unreachable');
    const onDeadlinePassed = (): void => {
      if (!this.#storing.has(id)) onDeadline(lease);
    };
    this.#cancelDeadline.set(id, this.#clocks.clock.after(ms, onDeadlinePassed));
  }

  /** Marks the outcome of a job as known. From now on, the job has no deadline and is not expected in heartbeats. */
  beginStoring(jobId: string): void {
    if (this.has(jobId)) this.#storing.add(jobId);
  }

  /** Reverts `beginStoring` after the outcome could not be stored. */
  abortStoring(jobId: string): void {
    this.#storing.delete(jobId);
  }

  /** Jobs of the worker whose outcome is unknown. */
  get open(): string[] {
    return [...this.worker.work].filter((id) => !this.#storing.has(id));
  }

  /**
   * Ends the open requests of a worker whose connections may be lost, because its engine became unreachable, or is back and may have
   * restarted its networks. A job would be sent to nobody. A connected worker requests jobs again at once. While the engine is unreachable,
   * each job is unconfirmed until the worker names it.
   */
  onReachabilityChanged(): void {
    if (this.worker.unreachable) for (const id of this.open) this.doubt(id, 'unreachable');
    this.#releaseOpenRequests();
  }

  /** Marks a job that the worker may not have. An earlier reason remains. */
  doubt(jobId: string, reason: Doubt): void {
    if (!this.#doubts.has(jobId)) this.#doubts.set(jobId, reason);
  }

  /** Marks a job as received, because the worker has named it. */
  confirm(jobId: string): void {
    this.#doubts.delete(jobId);
  }

  /** Returns why the worker may never have received the job; undefined if it has. */
  doubtAbout(jobId: string): Doubt | undefined {
    return this.#doubts.get(jobId);
  }

  /** Ends the lease of a job. @param delivered whether the worker delivered a result, which proves that it is healthy */
  release(jobId: string, delivered: boolean): void {
    this.#clear(jobId);
    this.#leases.delete(jobId);
    this.worker.finish(jobId, delivered);
  }

  /** Whether the worker polls `jobsToStop`, as SDKs do that can cancel a single job. */
  get pollsForStops(): boolean {
    return this.#pollsForStops;
  }

  /** Tells the worker once to drop a job. Calls `onIgnored` if the worker does not drop it in time. */
  revoke(jobId: string, onIgnored: () => void): void {
    if (this.#revoked.has(jobId)) return;
    this.#clear(jobId);
    const ms = this.worker.work.size > 1 ? DROP_ONE_TIMEOUT_MS : DROP_TIMEOUT_MS;
    this.#cancelDeadline.set(jobId, this.#clocks.realClock.after(ms, onIgnored));
    this.#revoked.add(jobId);
    this.#toStop.push(jobId);
    if (this.#stopRequests.size > 0) this.#stopRequests.give(this.#takeToStop());
  }

  /** Resolves with the jobs that the worker must drop. Waits up to `holdMs` ms for one. */
  async jobsToStop(holdMs: number, signal: AbortSignal): Promise<readonly string[] | undefined> {
    this.#pollsForStops = true;
    return this.#toStop.length > 0 ? this.#takeToStop() : this.#stopRequests.wait(holdMs, signal);
  }

  /**
   * Processes a heartbeat that names these jobs. Returns the jobs that were missing too often. For a revoked job, once is enough.
   */
  heartbeat(jobIds: readonly string[]): string[] {
    for (const id of jobIds) this.confirm(id);
    const now = this.#clocks.realClock.now();
    return this.open.filter((id) => {
      const missed = this.#missedPings.get(id) ?? { count: 0, at: now };
      if (jobIds.includes(id)) missed.count = 0;
      else if (this.#revoked.has(id)) return true;
      else if (now - missed.at >= PING_SPACING_MS) Object.assign(missed, { count: missed.count + 1, at: now });
      return missed.count >= MAX_MISSED_PINGS;
    });
  }

  /** Cancels `expectRequest`, because the worker has requested a job. */
  onRequest(): void {
    this.#cancelSilenceTimer?.();
    this.#cancelSilenceTimer = undefined;
  }

  /** Calls back after one to two times `SILENCE_TIMEOUT_MS` without a request for jobs. */
  expectRequest(onSilent: () => void): void {
    // Called for every result, which is too often to set a timer each time. The pending timer checks whether there was another call.
    this.#expectedAgain = this.#cancelSilenceTimer !== undefined;
    if (this.#expectedAgain) return;
    this.#cancelSilenceTimer = this.#clocks.realClock.after(SILENCE_TIMEOUT_MS, () => {
      this.#cancelSilenceTimer = undefined;
      if (this.#expectedAgain) this.expectRequest(onSilent);
      else onSilent();
    });
  }

  /** Ends the worker's open requests without a value. */
  releaseRequests(): void {
    this.onRequest();
    this.#releaseOpenRequests();
  }

  /** Ends all leases and all open requests, because the worker has stopped. */
  close(): void {
    this.releaseRequests();
    for (const jobId of [...this.worker.work]) this.release(jobId, false);
  }

  #releaseOpenRequests(): void {
    this.takes.release();
    this.#stopRequests.release();
  }

  #takeToStop(): readonly string[] {
    const ids = this.#toStop;
    this.#toStop = [];
    return ids;
  }

  #clear(jobId: string): void {
    this.#cancelDeadline.get(jobId)?.();
    this.#cancelDeadline.delete(jobId);
    this.#missedPings.delete(jobId);
    this.#revoked.delete(jobId);
    this.#doubts.delete(jobId);
    this.#storing.delete(jobId);
    this.#toStop = this.#toStop.filter((id) => id !== jobId);
  }
}
