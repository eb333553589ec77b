import { callAfter, type Clock } from '../../../client/clock.ts';
import { Wake, sleepOrWake } from '../../jobs/actions/wake.ts';
import { arrivalTimes, type LoadProfile } from '../model/arrivals.ts';
import { errorsOf } from '../model/comparison.ts';
import type { Spend } from '../model/estimate.ts';
import { Latencies } from '../model/latencies.ts';
import type { Counts, LoadReport, Percentiles } from '../model/report.ts';
import { judge, type Measured, type Threshold } from '../model/threshold.ts';
import type { LoadTarget } from './loadTarget.ts';

/** Most arrivals in flight. Further ones are not sent, and count as errors. */
const MAX_IN_FLIGHT = 10_000;
/** Most different reasons of failures in a report. Others count as `other`. */
const MAX_REASONS = 20;
/** Most arrivals that are sent without a pause for responses. */
const BURST = 50;
const PROGRESS_MS = 1_000;

export interface LoadOptions {
  readonly clock: Clock;
  readonly profile: LoadProfile;
  readonly target: LoadTarget;
  readonly spend: Spend;
  /** Most that the load test may cost, in USD. No more is sent when the cost of what is in flight would exceed it. */
  readonly cap?: number | undefined;
  /** Time before an idle worker stops, in seconds. */
  readonly idleTimeout: number;
  /** Longest wait for what is in flight after the last arrival, in ms. */
  readonly drainMs: number;
  /** Default: `MAX_IN_FLIGHT`. */
  readonly maxInFlight?: number;
  /** Ends the arrivals. What is in flight is waited for. */
  readonly drain: AbortSignal;
  /** Ends the wait for what is in flight, too. */
  readonly stop: AbortSignal;
  /** Returns whether jobs that are still in flight at the end are canceled on the platform. Asked once, if there are some. */
  readonly cancelsRest: (inFlight: number) => boolean | Promise<boolean>;
  /** Called every second, when the arrivals end, and at the end. */
  readonly onProgress: (progress: LoadProgress) => void;
}

/** State of a load test. */
export interface LoadProgress {
  readonly elapsedMs: number;
  readonly counts: Counts;
  readonly inFlight: number;
  readonly isDraining: boolean;
  readonly latency: Percentiles;
  /** Part of the ended arrivals that did not complete. Undefined without ended ones. */
  readonly errors: number | undefined;
  /** In USD. Undefined: not known. */
  readonly usd: number | undefined;
}

/** Measurements of a load test. */
export type LoadResult = Pick<
  LoadReport,
  | 'seconds'
  | 'end'
  | 'counts'
  | 'failures'
  | 'latency'
  | 'queue'
  | 'execution'
  | 'lateness'
  | 'throughput'
  | 'thresholds'
> & { readonly usd: number | undefined };

/**
 * Sends each arrival at its time, whether or not earlier ones have results (open loop). A latency counts from that time, so the percentiles
 * contain each delay: of the platform, and of this process.
 *
 * @throws an error that is not about the platform, such as an invalid request
 */
export async function runLoad(options: LoadOptions, thresholds: readonly Threshold[]): Promise<LoadResult> {
  const run = new LoadRun(options);
  const stopProgress = every(options.clock, PROGRESS_MS, () => options.onProgress(run.progress));
  try {
    await run.sendAll();
    await run.drain();
  } finally {
    stopProgress();
    const { cancelsRest } = options;
    const rest = run.inFlight;
    await options.target.close(rest > 0 && (await cancelsRest(rest)));
  }
  await run.settle();
  options.onProgress(run.progress);
  return run.result(thresholds);
}

class LoadRun {
  readonly #options: LoadOptions;
  readonly #counts = { due: 0, completed: 0, failed: 0, timedOut: 0, unanswered: 0, notSent: 0 };
  readonly #failures = new Map<string, number>();
  readonly #latency = new Latencies();
  readonly #queue = new Latencies();
  readonly #execution = new Latencies();
  readonly #lateness = new Latencies();
  readonly #tasks = new Set<Promise<void>>();
  readonly #changed = new Wake();
  readonly #failed = new AbortController();
  readonly #startedAt: number;
  #sendingMs = 0;
  #endedAt: number | undefined;
  #isDraining = false;
  #end: LoadReport['end'] = 'profile';

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  get inFlight(): number {
    return this.#tasks.size;
  }

  get progress(): LoadProgress {
    const { clock, spend } = this.#options;
    const { due, completed } = this.#counts;
    const ended = due - this.inFlight;
    return {
      elapsedMs: clock.now() - this.#startedAt,
      counts: { ...this.#counts },
      inFlight: this.inFlight,
      isDraining: this.#isDraining,
      latency: percentilesOf(this.#latency),
      errors: ended === 0 ? undefined : (ended - completed) / ended,
      usd: spend.at(clock.now()),
    };
  }

  /** Sends the arrivals until the profile, a cancellation, or the cap ends them. */
  async sendAll(): Promise<void> {
    const { clock, profile, drain, stop } = this.#options;
    const ending = AbortSignal.any([drain, stop, this.#failed.signal]);
    let burst = 0;
    for (const offset of arrivalTimes(profile)) {
      const dueAt = this.#startedAt + offset;
      const ms = dueAt - clock.now();
      burst = ms > 0 ? 0 : burst + 1;
      // Late arrivals are sent in bursts, between which responses are read.
      if (ms > 0 || burst % BURST === 0) await clock.sleep(Math.max(0, ms), ending).catch(() => undefined);
      if (ending.aborted) {
        this.#end = 'canceled';
        break;
      }
      if (this.#reachesCap()) {
        this.#end = 'cap';
        break;
      }
      this.#arrive(dueAt);
    }
    this.#sendingMs = clock.now() - this.#startedAt;
  }

  /** Waits for what is in flight. */
  async drain(): Promise<void> {
    const { clock, drainMs, stop, onProgress } = this.#options;
    this.#isDraining = true;
    const deadline = clock.now() + drainMs;
    onProgress(this.progress);
    const signal = AbortSignal.any([stop, this.#failed.signal]);
    for (;;) {
      const left = deadline - clock.now();
      if (this.inFlight === 0 || left <= 0 || signal.aborted) break;
      await sleepOrWake(clock, left, this.#changed, signal).catch(() => undefined);
    }
    this.#endedAt = clock.now();
  }

  /** Waits until the target, which is closed, has ended all arrivals. @throws the error of one of them */
  async settle(): Promise<void> {
    await Promise.all(this.#tasks);
    this.#failed.signal.throwIfAborted();
  }

  result(thresholds: readonly Threshold[]): LoadResult {
    const { clock, spend } = this.#options;
    const counts = { ...this.#counts };
    const usd = spend.at(clock.now());
    const { max, mean } = this.#latency;
    const measured: Measured = {
      quantile: (quantile) => this.#latency.quantile(quantile),
      ...{ max, mean, errors: errorsOf(counts), cost: usd },
    };
    const ms = Math.max(1, (this.#endedAt ?? clock.now()) - this.#startedAt);
    return {
      seconds: this.#sendingMs / 1_000,
      end: this.#end,
      counts,
      failures: Object.fromEntries(this.#failures),
      latency: percentilesOf(this.#latency),
      queue: percentilesOf(this.#queue),
      execution: percentilesOf(this.#execution),
      lateness: percentilesOf(this.#lateness),
      throughput: counts.completed / (ms / 1_000),
      usd,
      thresholds: judge(thresholds, measured),
    };
  }

  #reachesCap(): boolean {
    const { clock, cap, spend, idleTimeout } = this.#options;
    if (cap === undefined) return false;
    // The next arrival, too.
    const usd = spend.committedAt(clock.now(), { inFlight: this.inFlight + 1, idleTimeout });
    return usd !== undefined && usd > cap;
  }

  #arrive(dueAt: number): void {
    const { clock, maxInFlight = MAX_IN_FLIGHT } = this.#options;
    this.#counts.due++;
    if (this.inFlight >= maxInFlight) {
      this.#counts.notSent++;
      return;
    }
    this.#lateness.add(clock.now() - dueAt);
    const task = this.#send(dueAt)
      .catch((error: unknown) => this.#failed.abort(error))
      .finally(() => {
        this.#tasks.delete(task);
        this.#changed.fire();
      });
    this.#tasks.add(task);
  }

  async #send(dueAt: number): Promise<void> {
    const { clock, target, spend } = this.#options;
    const answer = await target.send();
    if (!answer) {
      // The wait is a lower bound of the latency, without which a stopped platform would look fast.
      this.#counts.unanswered++;
      this.#latency.add((this.#endedAt ?? clock.now()) - dueAt);
      return;
    }
    const { outcome, endedAt, reason, queueMs, executionMs } = answer;
    this.#counts[outcome]++;
    if (outcome !== 'failed') this.#latency.add(endedAt - dueAt);
    if (reason !== undefined) this.#countFailure(reason);
    if (queueMs !== undefined) this.#queue.add(queueMs);
    if (executionMs === undefined) return;
    this.#execution.add(executionMs);
    spend.addExecution(executionMs);
  }

  #countFailure(reason: string): void {
    const key = this.#failures.size < MAX_REASONS || this.#failures.has(reason) ? reason : 'other';
    this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1);
  }
}

function percentilesOf(latencies: Latencies): Percentiles {
  const { max, mean } = latencies;
  if (max === undefined || mean === undefined) return {};
  const rounded = (ms: number | undefined) => (ms === undefined ? undefined : Math.round(ms * 1_000) / 1_000);
  const [p50, p90, p99, p999] = [0.5, 0.9, 0.99, 0.999].map((quantile) => rounded(latencies.quantile(quantile)));
  return { p50, p90, p99, p999, max: rounded(max), mean: rounded(mean) };
}

/** Calls `action` again and again, until the returned function is called. */
function every(clock: Clock, ms: number, action: () => void): () => void {
  let stop = callAfter(clock, ms, tick);
  function tick(): void {
    stop = callAfter(clock, ms, tick);
    action();
  }
  return () => stop();
}
