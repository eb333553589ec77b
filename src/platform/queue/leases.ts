import type { Clock } from '../time/clock.ts';
import type { Worker } from '../workers/worker.ts';
import type { TakenJob } from './jobQueue.ts';
import { Waiters } from './waiters.ts';

/** Heartbeats in a row that may leave a job out before it counts as lost. */
const MISSED_PINGS = 3;
/** Time a worker has to drop a job that was taken from it. */
const LET_GO_MS = 5_000;
/**
 * The same for a worker that has further jobs, which would be lost with its process: time for heartbeats, every 10 s, to tell that it has
 * dropped the job, because it does not ask for another before it has room.
 */
const LET_GO_OF_ONE_MS = 25_000;

/** A worker with nothing to do asks for a job again at once, or a second after its last one (facts, worker protocol, section 3). */
const SILENT_MS = 60_000;

interface Clocks {
  /** Jobs are given their time by it. */
  readonly clock: Clock;
  /** Tells the same time, and waits in real time: workers answer in no other. */
  readonly realWaits: Clock;
}

/** The jobs that one worker has: how long it may keep each, whether its heartbeats still name it, and which ones it is to drop. */
export class Leases {
  readonly worker: Worker;
  /** Its open questions for jobs, and how many each is for at most. */
  readonly takes: Waiters<readonly TakenJob[], number>;
  /** Its open questions for jobs to drop. */
  readonly #stops: Waiters<readonly string[]>;
  readonly #clocks: Clocks;
  #listens = false;
  /** Jobs it is to drop and has not been told about yet. */
  #toStop: string[] = [];
  readonly #cancelDeadline = new Map<string, () => void>();
  readonly #missedPings = new Map<string, number>();
  #cancelSilence: (() => void) | undefined;
  #expectedAnew = false;
  /** Jobs that were taken from it and that it may still be working on. */
  readonly #revoked = new Set<string>();
  /** Jobs whose results, or whose losses, are being stored. */
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

  /** The worker has the job now, for at most that many ms. */
  grant(jobId: string, ms: number, onDeadline: () => void): void {
    this.#forget(jobId);
    this.worker.begin(jobId);
    const onTime = (): void => {
      if (!this.#arrived.has(jobId)) onDeadline();
    };
    this.#cancelDeadline.set(jobId, this.#clocks.clock.after(ms, onTime));
  }

  /** What became of the job is known: the worker has done its part while it is being stored. */
  arrived(jobId: string): void {
    if (this.has(jobId)) this.#arrived.add(jobId);
  }

  /** The result could not be stored: it is the worker's again. */
  refused(jobId: string): void {
    this.#arrived.delete(jobId);
  }

  /** The jobs it has whose results have not come. */
  get open(): string[] {
    return [...this.worker.work].filter((id) => !this.#arrived.has(id));
  }

  /** @param delivered the worker gave its result, which proves it healthy */
  release(jobId: string, delivered: boolean): void {
    this.#forget(jobId);
    this.worker.finish(jobId, delivered);
  }

  /** It asks which jobs to drop, between pauses: SDKs do so since they can cancel one job among others. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Tells the worker to drop a job, once. */
  revoke(jobId: string, onIgnored: () => void): void {
    if (this.#revoked.has(jobId)) return;
    this.#forget(jobId);
    const ms = this.worker.work.size > 1 ? LET_GO_OF_ONE_MS : LET_GO_MS;
    this.#cancelDeadline.set(jobId, this.#clocks.realWaits.after(ms, onIgnored));
    this.#revoked.add(jobId);
    this.#toStop.push(jobId);
    if (this.#stops.size > 0) this.#stops.give(this.#takeToStop());
  }

  /** The jobs to drop; held open for that many ms until there are any. */
  async jobsToStop(holdMs: number, signal: AbortSignal): Promise<readonly string[] | undefined> {
    this.#listens = true;
    return this.#toStop.length > 0 ? this.#takeToStop() : this.#stops.wait(holdMs, signal);
  }

  /** A heartbeat that names these jobs. Returns those that it has left out too often; for a job that it was told to drop, once is enough. */
  heartbeat(jobIds: readonly string[]): string[] {
    return this.open.filter((id) => {
      const missed = jobIds.includes(id) ? 0 : (this.#missedPings.get(id) ?? 0) + 1;
      this.#missedPings.set(id, missed);
      return missed >= (this.#revoked.has(id) ? 1 : MISSED_PINGS);
    });
  }

  /** It has asked for a job. */
  asks(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
  }

  /** It has no question open: calls back when it has asked for nothing for so long, or up to twice that. */
  expectToAsk(onSilent: () => void): void {
    // Expected anew with every result, which is more often than is worth a timer: the one that runs looks whether it was.
    this.#expectedAnew = this.#cancelSilence !== undefined;
    if (this.#expectedAnew) return;
    this.#cancelSilence = this.#clocks.realWaits.after(SILENT_MS, () => {
      this.#cancelSilence = undefined;
      if (this.#expectedAnew) this.expectToAsk(onSilent);
      else onSilent();
    });
  }

  /** Answers the worker's open questions with nothing. */
  answerAll(): void {
    this.asks();
    this.takes.release();
    this.#stops.release();
  }

  /** Takes all jobs back and answers every question: the worker is gone. */
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
