import { METRIC_OUTCOMES, RESPONSE_CLASSES } from '../../contract/control/controlMetrics.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { DurationSketch } from './durationSketch.ts';
import { isTerminal } from '../../contract/job.ts';
import type { JobRecord } from './job.ts';

/* What is measured of an endpoint in a period. Durations are milliseconds. */

/** States of a worker. Their order is that of the stored form, so new ones come last. */
export const WORKER_STATES = ['initializing', 'idle', 'running', 'throttled', 'unhealthy'] as const;
export type MeasuredState = (typeof WORKER_STATES)[number];

/** Measured durations. Their order is that of the stored form, so new ones come last. */
export const DURATIONS = ['queueDelay', 'execution', 'endToEnd', 'coldStart', 'latency'] as const;
export type DurationName = (typeof DURATIONS)[number];

type Outcome = (typeof METRIC_OUTCOMES)[number];
export type ResponseClass = (typeof RESPONSE_CLASSES)[number];

/** Version of the stored form. A platform ignores what a later version has stored. */
const VERSION = 1;

/** Values that add up over time and over the releases of an endpoint. */
export class Measured {
  arrivals = 0;
  retries = 0;
  logBytes = 0;
  spendNanoUsd = 0;
  /** Number of waiting jobs, multiplied by the time. */
  depthMs = 0;
  maxDepth = 0;
  /** Number by outcome, in the order of `METRIC_OUTCOMES`. */
  readonly outcomes = METRIC_OUTCOMES.map(() => 0);
  /** Number by class, in the order of `RESPONSE_CLASSES`. */
  readonly responses = RESPONSE_CLASSES.map(() => 0);
  /** Number of workers in each state, multiplied by the time, in the order of `WORKER_STATES`. */
  readonly workerMs = WORKER_STATES.map(() => 0);
  readonly #durations = new Map<DurationName, DurationSketch>();

  duration(name: DurationName): DurationSketch | undefined {
    return this.#durations.get(name);
  }

  addDuration(name: DurationName, ms: number): void {
    this.#sketchOf(name).add(ms);
  }

  addOutcome(outcome: Outcome): void {
    add(this.outcomes, METRIC_OUTCOMES.indexOf(outcome), 1);
  }

  addResponse(kind: ResponseClass): void {
    add(this.responses, RESPONSE_CLASSES.indexOf(kind), 1);
  }

  merge(other: Measured): void {
    this.arrivals += other.arrivals;
    this.retries += other.retries;
    this.logBytes += other.logBytes;
    this.spendNanoUsd += other.spendNanoUsd;
    this.depthMs += other.depthMs;
    this.maxDepth = Math.max(this.maxDepth, other.maxDepth);
    for (const list of ['outcomes', 'responses', 'workerMs'] as const)
      for (const [index, amount] of other[list].entries()) add(this[list], index, amount);
    for (const [name, sketch] of other.#durations) this.#sketchOf(name).merge(sketch);
  }

  /** Returns the stored form. */
  encode(): Uint8Array {
    shared.count(VERSION);
    for (const count of [this.arrivals, this.retries, this.logBytes, this.maxDepth]) shared.count(count);
    for (const count of [...this.outcomes, ...this.responses]) shared.count(count);
    for (const ms of [this.depthMs, ...this.workerMs]) shared.count(Math.round(ms));
    shared.float(this.spendNanoUsd);
    for (const name of DURATIONS) {
      const sketch = this.#durations.get(name);
      shared.count(sketch ? 1 : 0);
      sketch?.write(shared);
    }
    return shared.take();
  }

  /** Returns what was stored, or undefined if this version cannot read it. */
  static decode(bytes: Uint8Array): Measured | undefined {
    const reader = new ByteReader(bytes);
    try {
      if (reader.count() !== VERSION) return undefined;
      const result = new Measured();
      result.arrivals = reader.count();
      result.retries = reader.count();
      result.logBytes = reader.count();
      result.maxDepth = reader.count();
      for (const list of [result.outcomes, result.responses])
        for (const index of list.keys()) list[index] = reader.count();
      result.depthMs = reader.count();
      for (const index of result.workerMs.keys()) result.workerMs[index] = reader.count();
      result.spendNanoUsd = reader.float();
      for (const name of DURATIONS) if (reader.count() === 1) result.#durations.set(name, DurationSketch.read(reader));
      return reader.ended && Number.isFinite(result.spendNanoUsd) ? result : undefined;
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #sketchOf(name: DurationName): DurationSketch {
    let sketch = this.#durations.get(name);
    if (!sketch) this.#durations.set(name, (sketch = new DurationSketch()));
    return sketch;
  }
}

/** Reused, because each transaction with a job encodes a value. */
const shared = new ByteWriter();

function add(list: number[], index: number, amount: number): void {
  list[index] = (list[index] ?? 0) + amount;
}

/* Contributions of the changes of a job to the metrics of its endpoint. */

/** A change of a job. `before` is undefined for a new job. */
export interface JobChange {
  readonly before: JobRecord | undefined;
  readonly after: JobRecord;
}

/** The contribution of a change, and its time. */
export interface JobMeasurement {
  /** Time of the change, in ms since the epoch. */
  readonly at: number;
  /** Release of the worker. Undefined if no worker has the job. */
  readonly release: number | undefined;
  readonly add: (measured: Measured) => void;
}

/** Returns what a change at `now` adds, or undefined if it adds nothing. */
export function jobMeasurement({ before, after }: JobChange, now: number): JobMeasurement | undefined {
  if (!before) return { at: after.createdAt, release: undefined, add: (measured) => void measured.arrivals++ };
  if (before.status === after.status) return undefined;
  if (after.status === 'IN_QUEUE') {
    return { at: now, release: before.release, add: (measured) => void measured.retries++ };
  }
  const { createdAt, queuedAt, startedAt, finishedAt = now, release } = after;
  if (!isTerminal(after.status)) {
    const at = startedAt ?? now;
    return { at, release, add: (measured) => measured.addDuration('queueDelay', at - queuedAt) };
  }
  const add = (measured: Measured): void => {
    measured.addOutcome(after.status as Outcome);
    measured.addDuration('endToEnd', finishedAt - createdAt);
    if (startedAt !== undefined) measured.addDuration('execution', finishedAt - startedAt);
  };
  return { at: finishedAt, release, add };
}

/** Returns by how many jobs the queue becomes longer. */
export function queueGrowth({ before, after }: JobChange): number {
  return Number(after.status === 'IN_QUEUE') - Number(before?.status === 'IN_QUEUE');
}
