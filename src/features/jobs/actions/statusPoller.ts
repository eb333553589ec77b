import type { Clock } from '../../../client/clock.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { sleepOrWake, Wake, type Pace } from './wake.ts';

export interface PollerOptions {
  readonly clock: Clock;
  /** Ends all waits. */
  readonly signal: AbortSignal;
  readonly pace: () => Pace;
  /** Longest interval between two requests for a job, in ms. Default: 5 s. */
  readonly lastIntervalMs?: number;
  /** Reads a job. Resolves with undefined if it does not exist. Retries by itself. */
  readonly read: (jobId: string) => Promise<Job | undefined>;
}

interface Watched {
  readonly id: string;
  dueAt: number;
  intervalMs: number;
  isBusy: boolean;
  readonly ended: PromiseWithResolvers<Job | undefined>;
}

const FIRST_INTERVAL_MS = 20;
const LAST_INTERVAL_MS = 5_000;
const GROWTH = 1.5;
/** Maximum number of concurrent requests. */
const MAX_BUSY = 8;

/** Polls many jobs in turn, at a bounded rate, until they end. The interval of a job grows. */
export class StatusPoller {
  readonly #options: PollerOptions;
  readonly #jobs = new Map<string, Watched>();
  readonly #wake = new Wake();
  #busy = 0;
  #isReleased = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Ends all waits, now and in the future, with undefined. */
  release(): void {
    this.#isReleased = true;
    for (const { ended } of this.#jobs.values()) ended.resolve(undefined);
    this.#jobs.clear();
  }

  /** Resolves with the job once it has ended, or with undefined if the platform no longer has it. */
  watch(id: string): Promise<Job | undefined> {
    if (this.#isReleased) return Promise.resolve(undefined);
    const dueAt = this.#options.clock.now() + FIRST_INTERVAL_MS;
    const watched = { id, dueAt, intervalMs: FIRST_INTERVAL_MS, isBusy: false, ended: Promise.withResolvers() };
    this.#jobs.set(id, watched as Watched);
    this.#wake.fire();
    return (watched as Watched).ended.promise;
  }

  /** Polls until the signal is aborted. @throws the reason of the signal, or an unexpected error of `read` */
  async run(): Promise<never> {
    const { clock, signal, pace } = this.#options;
    const failed = Promise.withResolvers<never>();
    for (;;) {
      const job = this.#busy < MAX_BUSY ? this.#next() : undefined;
      const waitMs = job ? job.dueAt - clock.now() : Infinity;
      if (!job || waitMs > 0) {
        await Promise.race([sleepOrWake(clock, waitMs, this.#wake, signal), failed.promise]);
        continue;
      }
      await pace().take(signal);
      job.isBusy = true;
      this.#busy++;
      void this.#poll(job)
        .catch((error: unknown) => failed.reject(error))
        .finally(() => {
          this.#busy--;
          this.#wake.fire();
        });
    }
  }

  #next(): Watched | undefined {
    let next: Watched | undefined;
    for (const job of this.#jobs.values()) if (!job.isBusy && (!next || job.dueAt < next.dueAt)) next = job;
    return next;
  }

  async #poll(job: Watched): Promise<void> {
    const { clock, read, lastIntervalMs = LAST_INTERVAL_MS } = this.#options;
    const state = await read(job.id);
    job.isBusy = false;
    if (state && !isTerminal(state.status)) {
      job.intervalMs = Math.min(job.intervalMs * GROWTH, lastIntervalMs);
      job.dueAt = clock.now() + job.intervalMs;
      return;
    }
    this.#jobs.delete(job.id);
    job.ended.resolve(state);
  }
}
