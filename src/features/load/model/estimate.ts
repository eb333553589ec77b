/* Costs of load tests, in USD. */

/** Size of a load test, and the workers that it uses. */
export interface EstimatedLoad {
  /** Number of arrivals. */
  readonly arrivals: number;
  /** Time with arrivals. */
  readonly seconds: number;
  /** Longest time after it until the last response. */
  readonly drainSeconds: number;
  /** Time of a worker for one arrival. Undefined: not known. */
  readonly secondsPerArrival: number | undefined;
  /** `idleTimeout` is in seconds. */
  readonly workers: { readonly min: number; readonly max: number; readonly idleTimeout: number };
  /** Highest price of a worker, in USD per hour. */
  readonly pricePerHour: number;
}

/**
 * Returns what a load test costs. If the time of an arrival is not known, that is what all workers cost until the last one has been idle for
 * its timeout. Otherwise, it is the larger of the time of the arrivals, with one idle timeout of each worker, and the time of the permanent
 * workers. It is never more than the cost of all workers.
 */
export function estimateLoad(load: EstimatedLoad): number {
  const { arrivals, seconds, drainSeconds, secondsPerArrival, workers, pricePerHour } = load;
  const usd = (workerSeconds: number) => (workerSeconds / 3_600) * pricePerHour;
  const most = usd(workers.max * (seconds + drainSeconds + workers.idleTimeout));
  if (secondsPerArrival === undefined) return most;
  const busy = arrivals * secondsPerArrival;
  const used = Math.min(workers.max, Math.max(workers.min, Math.ceil(busy / Math.max(seconds, 1))));
  const idle = Math.max(0, used - workers.min) * workers.idleTimeout;
  return Math.min(most, Math.max(usd(busy + idle), usd(workers.min * seconds)));
}

/** Sums up what a load test has cost. */
export class Spend {
  readonly #pricePerHour: number | undefined;
  /** Time of workers that ended arrivals report, in ms. */
  #executionMs = 0;
  #executions = 0;
  /** Cost of the present workers until the last change. */
  #workersUsd = 0;
  #usdPerHour = 0;
  /** Part of it for workers that stop when they are idle. */
  #stoppingPart = 0;
  #changedAt: number | undefined;

  /** @param pricePerHour highest price of a worker, in USD. Undefined: not known */
  constructor(pricePerHour: number | undefined) {
    this.#pricePerHour = pricePerHour;
  }

  /** Mean time of workers for one arrival, in seconds. Undefined: none was reported. */
  get secondsPerArrival(): number | undefined {
    return this.#executions === 0 ? undefined : this.#executionMs / this.#executions / 1_000;
  }

  /** Adds the time of an ended arrival, in ms. */
  addExecution(ms: number): void {
    this.#executionMs += ms;
    this.#executions++;
  }

  /**
   * Notes the price of the present workers together, in USD per hour. They cost that until the next call.
   *
   * @param stoppingPart part of it, 0 to 1, for workers that stop when they are idle, because they are more than the minimum
   */
  setWorkers(usdPerHour: number, now: number, stoppingPart = 1): void {
    this.#workersUsd = this.#workersAt(now);
    this.#usdPerHour = usdPerHour;
    this.#stoppingPart = stoppingPart;
    this.#changedAt = now;
  }

  /** Returns the cost until now: the larger one of what the arrivals report and of what the workers cost. Undefined: not known. */
  at(now: number): number | undefined {
    if (this.#pricePerHour === undefined) return undefined;
    return Math.max((this.#executionMs / 3_600_000) * this.#pricePerHour, this.#workersAt(now));
  }

  /**
   * Returns the cost at the end if nothing more is sent: that of the arrivals in flight, and of the workers until those that stop have been idle
   * for their timeout. Undefined: not known.
   */
  committedAt(now: number, { inFlight, idleTimeout }: { readonly inFlight: number; readonly idleTimeout: number }) {
    if (this.#pricePerHour === undefined) return undefined;
    const mean = this.secondsPerArrival ?? 0;
    const jobs = ((this.#executionMs / 1_000 + inFlight * mean) / 3_600) * this.#pricePerHour;
    return Math.max(jobs, this.#workersAt(now) + (this.#usdPerHour * this.#stoppingPart * idleTimeout) / 3_600);
  }

  #workersAt(now: number): number {
    const ms = this.#changedAt === undefined ? 0 : Math.max(0, now - this.#changedAt);
    return this.#workersUsd + (this.#usdPerHour * ms) / 3_600_000;
  }
}
