import { Measured, WORKER_STATES, type MeasuredState, type ResponseClass } from '../domain/measured.ts';
import { bucketOf, FIRST_LEVEL, partsByBucket } from '../domain/metricBuckets.ts';
import type { MetricRow } from '../store/metricStore.ts';

/** The state of a worker, for its measurement. */
interface WorkerGauge {
  readonly release: number;
  /** Undefined while the worker does not count, such as on standby. */
  readonly state: MeasuredState | undefined;
  /** Cost per second in nano-dollars, 0 while nothing is charged. */
  readonly nanoUsdPerSecond: number;
}

/** Dependencies of a meter. */
interface MeterContext {
  /** Returns the time in ms since the epoch. It never goes back by a little. */
  readonly time: () => number;
  /** Called when the meter has something to store. */
  readonly onActive: (meter: EndpointMeter) => void;
}

/** The workers of one release. */
interface ReleaseGauge {
  readonly workers: number[];
  nanoUsdPerSecond: number;
}

/**
 * Measures an endpoint. The length of the queue and the states of workers are weighted by time. These values, and those of load-balanced
 * requests, are collected in memory until the next heartbeat stores them.
 */
export class EndpointMeter {
  readonly endpointId: string;
  readonly #context: MeterContext;
  readonly #workers = new Map<string, WorkerGauge>();
  readonly #gauges = new Map<number, ReleaseGauge>();
  /** Measurements since the last heartbeat, by release and bucket. */
  #collected = new Map<string, MetricRow>();
  #release: number;
  #depth = 0;
  /** Number of workers that are needed but not created. They count as throttled. */
  #uncreated = 0;
  /** Time up to which the gauges are collected. */
  #since: number;
  /** Sums for Prometheus, which other endpoints can share. Undefined before the first scrape. */
  totals: Measured | undefined;
  #lastActive: number;

  constructor(endpointId: string, release: number, context: MeterContext) {
    this.endpointId = endpointId;
    this.#release = release;
    this.#context = context;
    this.#since = context.time();
    this.#lastActive = this.#since;
  }

  /** Time of the last measurement, in ms since the epoch. */
  get lastActive(): number {
    return this.#lastActive;
  }

  /** Number of workers in each state, in the order of `WORKER_STATES`. */
  get workerCounts(): number[] {
    const counts = WORKER_STATES.map(() => 0);
    for (const { workers } of this.#gauges.values())
      for (const [index, count] of workers.entries()) addAt(counts, index, count);
    addAt(counts, WORKER_STATES.indexOf('throttled'), this.#uncreated);
    return counts;
  }

  /** Version of the current release. */
  get release(): number {
    return this.#release;
  }

  /** Number of waiting jobs or requests. */
  get depth(): number {
    return this.#depth;
  }

  setRelease(release: number): void {
    this.#collect();
    this.#release = release;
  }

  setDepth(depth: number): void {
    const now = this.#context.time();
    this.#lastActive = now;
    if (depth === this.#depth) return;
    this.#collectTo(now);
    this.#depth = depth;
    this.#context.onActive(this);
    if (depth === 0) return;
    const measured = this.#at(this.#release, now);
    measured.maxDepth = Math.max(measured.maxDepth, depth);
  }

  setUncreated(workers: number): void {
    if (workers === this.#uncreated) return;
    this.#collect();
    this.#uncreated = workers;
    this.#context.onActive(this);
  }

  /** Sets the state of a worker. Undefined once it has stopped. */
  setWorker(id: string, gauge: WorkerGauge | undefined): void {
    const before = this.#workers.get(id);
    if (isSame(before, gauge)) return;
    this.#collect();
    if (before) this.#count(before, -1);
    if (gauge) {
      this.#count(gauge, 1);
      this.#workers.set(id, gauge);
    } else this.#workers.delete(id);
    this.#context.onActive(this);
  }

  /** Measures the time from the start of a worker until it is ready, in ms. */
  coldStart(release: number, ms: number): void {
    this.#measure(release, (measured) => measured.addDuration('coldStart', ms));
  }

  /** Measures log lines of a worker, in bytes. */
  logged(workerId: string, bytes: number): void {
    this.#measure(this.#releaseOf(workerId), (measured) => (measured.logBytes += bytes));
  }

  /** Measures the arrival of a load-balanced request. */
  arrived(): void {
    this.#measure(this.#release, (measured) => measured.arrivals++);
  }

  /** Measures the end of a load-balanced request. @param workerId undefined if no worker received it @param ms time since its arrival */
  responded(workerId: string | undefined, kind: ResponseClass, ms: number): void {
    this.#measure(this.#releaseOf(workerId), (measured) => {
      measured.addResponse(kind);
      measured.addDuration('latency', ms);
    });
  }

  /** Adds what a transaction has stored to the totals. */
  addToTotals(add: (measured: Measured) => void): void {
    if (this.totals) add(this.totals);
  }

  /** Skips a time in which the platform did not run. */
  skip(from: number, to: number): void {
    this.#collectTo(from);
    this.#since = to;
  }

  /** Returns the measurements since the last heartbeat. They must not be changed. */
  collected(): MetricRow[] {
    this.#collect();
    return [...this.#collected.values()];
  }

  /** Forgets what is stored. Returns false if there will be nothing to store until the next change. */
  reset(): boolean {
    this.#collected = new Map();
    return this.#isActive;
  }

  get #isActive(): boolean {
    return this.#depth > 0 || this.#uncreated > 0 || this.#workers.size > 0;
  }

  #releaseOf(workerId: string | undefined): number {
    return this.#workers.get(workerId ?? '')?.release ?? this.#release;
  }

  #count({ release, state, nanoUsdPerSecond }: WorkerGauge, change: 1 | -1): void {
    let gauge = this.#gauges.get(release);
    if (!gauge) this.#gauges.set(release, (gauge = { workers: WORKER_STATES.map(() => 0), nanoUsdPerSecond: 0 }));
    gauge.nanoUsdPerSecond += change * nanoUsdPerSecond;
    if (state) addAt(gauge.workers, WORKER_STATES.indexOf(state), change);
    if (gauge.nanoUsdPerSecond === 0 && gauge.workers.every((count) => count === 0)) this.#gauges.delete(release);
  }

  #measure(release: number, add: (measured: Measured) => void): void {
    const now = this.#context.time();
    this.#lastActive = now;
    add(this.#at(release, now));
    this.addToTotals(add);
    this.#context.onActive(this);
  }

  #at(release: number, at: number): Measured {
    const start = bucketOf(FIRST_LEVEL.stepMs, at);
    const name = `${release} ${start}`;
    let row = this.#collected.get(name);
    if (!row) this.#collected.set(name, (row = { release, start, measured: new Measured() }));
    return row.measured;
  }

  #collect(): void {
    this.#collectTo(this.#context.time());
  }

  #collectTo(to: number): void {
    const from = this.#since;
    if (to <= from) return;
    this.#since = to;
    if (!this.#isActive) return;
    for (const part of partsByBucket(FIRST_LEVEL.stepMs, { from, to }))
      this.#collectPart(part.from, part.to - part.from);
  }

  #collectPart(at: number, ms: number): void {
    if (this.#depth > 0 || this.#uncreated > 0) {
      const measured = this.#at(this.#release, at);
      measured.depthMs += this.#depth * ms;
      measured.maxDepth = Math.max(measured.maxDepth, this.#depth);
      addAt(measured.workerMs, WORKER_STATES.indexOf('throttled'), this.#uncreated * ms);
    }
    for (const [release, { workers, nanoUsdPerSecond }] of this.#gauges) {
      const measured = this.#at(release, at);
      for (const [index, count] of workers.entries()) addAt(measured.workerMs, index, count * ms);
      const nanoUsd = (nanoUsdPerSecond * ms) / 1000;
      measured.spendNanoUsd += nanoUsd;
      if (this.totals) this.totals.spendNanoUsd += nanoUsd;
    }
  }
}

function isSame(one: WorkerGauge | undefined, other: WorkerGauge | undefined): boolean {
  return (
    one?.state === other?.state && one?.release === other?.release && one?.nanoUsdPerSecond === other?.nanoUsdPerSecond
  );
}

function addAt(list: number[], index: number, amount: number): void {
  list[index] = (list[index] ?? 0) + amount;
}

/** Maximum number of endpoints with series of their own. */
const MAX_ENDPOINTS = 500;

/**
 * Measurements of each endpoint since the first scrape after the start. Endpoints beyond the limit, which were active least recently,
 * share one value, so that the number of series does not grow with the number of endpoints. No value ever decreases.
 */
export class EndpointTotals {
  readonly others = new Measured();
  readonly #own = new Set<EndpointMeter>();

  /** Begins to measure an endpoint. */
  add(meter: EndpointMeter): void {
    if (this.#own.size >= MAX_ENDPOINTS) meter.totals = this.others;
    else this.#promote(meter);
  }

  forget(meter: EndpointMeter): void {
    this.#own.delete(meter);
  }

  /** Returns the endpoints with totals of their own: those that were active last. */
  select(all: Iterable<EndpointMeter>): ReadonlySet<EndpointMeter> {
    const meters = [...all];
    if (meters.length <= MAX_ENDPOINTS) for (const meter of meters) this.#promote(meter);
    else {
      meters.sort((one, other) => other.lastActive - one.lastActive);
      for (const [index, meter] of meters.entries()) {
        if (index < MAX_ENDPOINTS) this.#promote(meter);
        else {
          this.#own.delete(meter);
          meter.totals = this.others;
        }
      }
    }
    return this.#own;
  }

  #promote(meter: EndpointMeter): void {
    if (this.#own.has(meter)) return;
    this.#own.add(meter);
    meter.totals = new Measured();
  }
}
