import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EndpointMetrics, MetricsMarker, MetricsQuery } from '../../contract/control/controlMetrics.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { JobRecord } from '../domain/job.ts';
import { bucketOf, FIRST_LEVEL, metricsPeriod, partsByBucket, type Interval } from '../domain/metricBuckets.ts';
import { jobMeasurement, queueGrowth, type JobChange, WORKER_STATES, Measured } from '../domain/measured.ts';
import { MetricsAnswer, type MeasuredBucket } from '../domain/metricsAnswer.ts';
import type { LogOwner } from '../store/logStore.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import { EndpointMeter, EndpointTotals } from './endpointMeter.ts';
import type { ExposedEndpoint } from './exposition.ts';
import { dateTime } from '../../contract/dateTime.ts';

/** Time in ms without a heartbeat after which the platform counts as not running, for example because the machine was asleep. */
const LONGEST_PAUSE_MS = 60_000;

/** Maximum number of buckets of a response that are read in one turn of the event loop. */
const PART_BUCKETS = 50;

/** An endpoint with its meter. */
interface MeteredEndpoint {
  readonly endpoint: Pick<EndpointRecord, 'id' | 'name' | 'type'>;
  readonly meter: EndpointMeter;
}

/** A change of a job. */
interface CollectedChange {
  readonly meter: EndpointMeter;
  /** Number of jobs by which the queue becomes longer. */
  readonly growth: number;
  readonly add: ((measured: Measured) => void) | undefined;
}

/** The metrics of all endpoints. What is measured of jobs is stored with them. All else is stored by the next heartbeat. */
export class Metrics {
  readonly #store: Pick<Store, 'transaction' | 'metrics' | 'jobs' | 'endpoints'>;
  readonly #clock: Clock;
  readonly #meters = new Map<string, EndpointMeter>();
  /** Meters with something to store. */
  readonly #active = new Set<EndpointMeter>();
  /** Sums for Prometheus. Undefined before the first scrape. */
  #totals: EndpointTotals | undefined;
  /** Changes of jobs in the current transaction. */
  #changes: CollectedChange[] = [];
  /** Last time that was measured. */
  #time: number;
  /** Start of the current time without a pause. Undefined before the start. */
  #runningSince: number | undefined;
  /** Times in which the platform ran that are not stored. */
  #runs: Interval[] = [];

  constructor(store: Pick<Store, 'transaction' | 'metrics' | 'jobs' | 'endpoints'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#time = clock.now();
  }

  /** Begins to measure. Jobs that changed before are measured, too. */
  start(): void {
    this.#runningSince = this.#now();
    for (const [endpointId, waiting] of this.#store.jobs.waiting()) this.#meters.get(endpointId)?.setDepth(waiting);
  }

  /** Returns the meter of an endpoint. */
  meterOf({ id, version }: Pick<EndpointRecord, 'id' | 'version'>): EndpointMeter {
    let meter = this.#meters.get(id);
    if (!meter) {
      const onActive = (active: EndpointMeter): void => {
        // The workers of a deleted endpoint still stop.
        if (this.#meters.get(id) === active) this.#active.add(active);
      };
      meter = new EndpointMeter(id, version, { time: () => this.#now(), onActive });
      this.#meters.set(id, meter);
      this.#totals?.add(meter);
    }
    return meter;
  }

  /** Forgets a deleted endpoint. */
  forget(endpointId: string): void {
    const meter = this.#meters.get(endpointId);
    if (!meter) return;
    this.#meters.delete(endpointId);
    this.#active.delete(meter);
    this.#totals?.forget(meter);
  }

  /**
   * Returns the sums since the first call for Prometheus.
   *
   * @param withOthers whether to add the sum of the endpoints of all accounts without series of their own
   */
  exposed(endpoints: readonly MeteredEndpoint[], { withOthers }: { readonly withOthers: boolean }): ExposedEndpoint[] {
    this.#totals ??= new EndpointTotals();
    const own = this.#totals.select(this.#meters.values());
    const exposed: ExposedEndpoint[] = [];
    for (const { endpoint, meter } of endpoints) {
      // Adds the cost up to now.
      meter.collected();
      const { totals, depth, workerCounts: workers } = meter;
      if (totals && own.has(meter)) exposed.push({ ...endpoint, totals, depth, workers });
    }
    if (withOthers && own.size < this.#meters.size) exposed.push(this.#others(this.#totals.others, own));
    return exposed;
  }

  #others(totals: Measured, own: ReadonlySet<EndpointMeter>): ExposedEndpoint {
    const workers = WORKER_STATES.map(() => 0);
    let depth = 0;
    for (const meter of this.#meters.values()) {
      if (own.has(meter)) continue;
      meter.collected();
      depth += meter.depth;
      for (const [index, count] of meter.workerCounts.entries()) workers[index] = (workers[index] ?? 0) + count;
    }
    return { id: 'other', name: 'other', type: 'other', totals, depth, workers };
  }

  /** Measures a change of a job. Call this in the transaction that stores the change. */
  jobChanged(change: JobChange): void {
    const { endpointId } = change.after;
    const meter = this.#meters.get(endpointId);
    if (!meter) return;
    const measurement = jobMeasurement(change, this.#clock.now());
    if (measurement) {
      const { at, release = meter.release, add } = measurement;
      this.#store.metrics.measure({ endpointId, release, at }, add);
    }
    this.#addChange({ meter, growth: queueGrowth(change), add: measurement?.add });
  }

  /** Counts imported jobs. They are not measured, because they did not happen on this platform. Call this in the transaction that stores them. */
  jobImported({ endpointId, status }: JobRecord): void {
    const meter = this.#meters.get(endpointId);
    if (meter && status === 'IN_QUEUE') this.#addChange({ meter, growth: 1, add: undefined });
  }

  /** Collects a change of the current transaction, so that many changes cost hardly more than one. */
  #addChange(change: CollectedChange): void {
    if (this.#changes.push(change) > 1) return;
    this.#store.transaction((transaction) => {
      transaction.afterCommit(() => this.#committed());
      transaction.afterRollback(() => (this.#changes = []));
    });
  }

  #committed(): void {
    const changes = this.#changes;
    this.#changes = [];
    const growths = new Map<EndpointMeter, number>();
    for (const { meter, growth, add } of changes) {
      growths.set(meter, (growths.get(meter) ?? 0) + growth);
      if (add) meter.addToTotals(add);
    }
    for (const [meter, growth] of growths) meter.setDepth(Math.max(0, meter.depth + growth));
  }

  /** Measures log lines, in bytes. */
  logged({ endpointId, workerId }: LogOwner, bytes: number): void {
    this.#meters.get(endpointId)?.logged(workerId, bytes);
  }

  /** Stores all that is not stored. Call this in the transaction of a heartbeat. */
  write(transaction: Transaction): void {
    if (this.#runningSince === undefined) return;
    const now = this.#now();
    const runs = [...this.#runs, { from: this.#runningSince, to: now }];
    for (const run of runs) this.#store.metrics.setRun(run);
    const active = [...this.#active];
    for (const meter of active) {
      const { endpointId } = meter;
      for (const { release, start, measured } of meter.collected())
        this.#store.metrics.measure({ endpointId, release, at: start }, (stored) => stored.merge(measured));
    }
    transaction.afterCommit(() => {
      this.#runs = [];
      for (const meter of active) if (!meter.reset()) this.#active.delete(meter);
    });
  }

  /**
   * Reads the metrics of an endpoint. Other requests are answered between the parts of a long period.
   *
   * @throws Refusal 422 for an empty period
   */
  async of({ id: endpointId, createdAt }: EndpointRecord, query: MetricsQuery): Promise<EndpointMetrics> {
    const now = this.#now();
    const period = metricsPeriod(query, now);
    const { stepMs } = period;
    const { release } = query;
    const runs = this.#allRuns(period, now)
      .map(({ from, to }) => ({ from: Math.max(from, bucketOf(FIRST_LEVEL.stepMs, createdAt)), to }))
      .filter(({ from, to }) => from < to);
    const answer = new MetricsAnswer(stepMs, runs);
    for (const part of partsByBucket(PART_BUCKETS * stepMs, period)) {
      const collected = (this.#meters.get(endpointId)?.collected() ?? [])
        .filter((row) => isWithin(part, row.start) && (release === undefined || row.release === release))
        .map(copyOf);
      answer.add(part, [...this.#store.metrics.select({ ...part, endpointId, release }, stepMs), ...collected]);
      await yieldToEventLoop();
    }
    return answer.result(this.#markers(endpointId, query, period));
  }

  #allRuns(period: Interval, now: number): Interval[] {
    const stored = this.#store.metrics.runs(period);
    return [
      ...stored,
      ...this.#runs,
      ...(this.#runningSince === undefined ? [] : [{ from: this.#runningSince, to: now }]),
    ];
  }

  #markers(endpointId: string, { release }: MetricsQuery, period: Interval): MetricsMarker[] {
    const releases = this.#store.endpoints
      .releases(endpointId)
      .filter(({ createdAt, version }) => isWithin(period, createdAt) && (release === undefined || version === release))
      .map(({ createdAt, version }) => ({ time: createdAt, kind: 'release', release: version }));
    const crashes = this.#store.metrics
      .crashes({ ...period, endpointId, release })
      .map(({ at, workerId, release: version }) => ({ time: at, kind: 'crash', release: version, workerId }));
    return [...releases, ...crashes]
      .sort((one, other) => one.time - other.time)
      .map(({ time, ...marker }) => ({ at: dateTime(time), ...marker }));
  }

  /** Returns the time. After a pause, the time of the pause is not measured. A clock that is set back a little stands still instead. */
  #now(): number {
    const now = this.#clock.now();
    const before = this.#time;
    if (Math.abs(now - before) <= LONGEST_PAUSE_MS) return (this.#time = Math.max(now, before));
    for (const meter of this.#active) meter.skip(before, now);
    this.#time = now;
    if (this.#runningSince !== undefined) {
      this.#runs.push({ from: this.#runningSince, to: before });
      this.#runningSince = now;
    }
    return now;
  }
}

function copyOf({ start, measured }: MeasuredBucket): MeasuredBucket {
  const copy = new Measured();
  copy.merge(measured);
  return { start, measured: copy };
}

const isWithin = ({ from, to }: Interval, at: number): boolean => at >= from && at < to;
