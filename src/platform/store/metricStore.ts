import type { Measured } from '../domain/measured.ts';
import type { Interval } from '../domain/metricBuckets.ts';

/** Measurements of a release of an endpoint in one bucket. */
export interface MetricRow {
  /** Start of the bucket. Buckets of recent times are shorter than the requested ones. */
  readonly start: number;
  readonly release: number;
  readonly measured: Measured;
}

/** A worker that ended without being stopped. */
export interface Crash {
  readonly endpointId: string;
  readonly workerId: string;
  readonly release: number;
  readonly at: number;
}

/** Selects the metrics of an endpoint in [from, to), which are whole buckets. */
export interface MetricsSelection extends Interval {
  readonly endpointId: string;
  /** Default: all releases. */
  readonly release?: number | undefined;
}

/** Metrics of endpoints, in buckets that become longer as they age. Times are milliseconds since the epoch. */
export interface MetricStore {
  /**
   * Adds to what was measured at a moment. Call this in the transaction of the change that is measured. A transaction writes each bucket once.
   */
  measure(of: { readonly endpointId: string; readonly release: number; readonly at: number }, add: Add): void;
  /** Returns what was measured. A bucket can have several rows, in any order. */
  select(selection: MetricsSelection, stepMs: number): MetricRow[];
  /** Adds a crash. The oldest ones of an endpoint are dropped. */
  addCrash(crash: Crash): void;
  /** Returns the crashes of an endpoint, oldest first. */
  crashes(selection: MetricsSelection): Crash[];
  /** Records that the platform ran in an interval. One with the same start is replaced. */
  setRun(interval: Interval): void;
  /** Returns the intervals in which the platform ran that overlap with another one, in order of their starts. */
  runs(within: Interval): Interval[];
  /**
   * Adds some buckets to longer ones, or removes some that are no longer kept, within a few milliseconds. Returns true if there were such
   * buckets, so that more may be left.
   */
  rollUp(now: number): boolean;
  /** Removes some metrics of an endpoint in a short transaction. Returns true if there may be more. */
  remove(endpointId: string): boolean;
}

type Add = (measured: Measured) => void;
