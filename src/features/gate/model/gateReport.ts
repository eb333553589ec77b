import type { GatePart } from '../../../contract/gate.ts';
import type { OutputDifference } from './compareOutputs.ts';

/* What a gate found: the results of recorded jobs on two versions of a worker, and a verdict. */

/** Increase of the median execution time that is always accepted, in ms. Short times vary more. */
const ACCEPTED_INCREASE_MS = 10;

/** One version of the worker. Unknown measurements are undefined. */
export interface SideReport {
  /** The commit, `working tree`, or the image. */
  readonly label: string;
  /** Execution times of the completed jobs, in ms. */
  readonly medianMs: number | undefined;
  readonly p95Ms: number | undefined;
  /** Time from the start of the worker until it was ready, in ms. */
  readonly coldStartMs: number | undefined;
  /** Largest resident memory of the processes of the worker after a job, in bytes. */
  readonly memoryBytes: number | undefined;
  /** Cost of the execution times, in USD. */
  readonly usd: number | undefined;
}

/**
 * - `same`: the outputs or the errors are equal or differ by what is accepted, or the expectations are met.
 * - `fixed`: the job failed on the earlier version only.
 * - `differs`: the new version does not give the expected result.
 * - `notRun`: the job could not run.
 */
export type JobOutcome = 'same' | 'fixed' | 'differs' | 'notRun';

export interface GateJob {
  /** Name of the recording. */
  readonly name: string;
  readonly outcome: JobOutcome;
  /** Statuses on both versions. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Execution times in ms. */
  readonly beforeMs?: number | undefined;
  readonly afterMs?: number | undefined;
  readonly differences: readonly OutputDifference[];
  /** Violated expectations of the recording, in words. */
  readonly mismatches: readonly string[];
  /** Why the job did not run, or its error on the new version in one line. */
  readonly reason?: string | undefined;
}

/** A reason why a gate fails. */
export type GateFailure =
  | { readonly code: 'outputs'; readonly jobs: number }
  | { readonly code: 'notRun'; readonly jobs: number }
  | { readonly code: 'slower'; readonly percent: number; readonly accepted: number };

export interface GateReport {
  readonly version: 1;
  readonly endpoint: string;
  readonly startedAt: string;
  readonly before: SideReport;
  readonly after: SideReport;
  readonly jobs: readonly GateJob[];
  readonly passed: boolean;
  readonly failures: readonly GateFailure[];
  /** Increase of the median execution time in percent. Undefined if it is not known. */
  readonly slowerPercent: number | undefined;
}

/** Returns the reasons for which a gate fails. None: it passes. */
export function failuresOf(
  { jobs, before, after }: Pick<GateReport, 'jobs' | 'before' | 'after'>,
  { maxSlower }: GatePart,
): readonly GateFailure[] {
  const count = (wanted: JobOutcome) => jobs.filter(({ outcome }) => outcome === wanted).length;
  const [outputs, notRun] = [count('differs'), count('notRun')];
  const percent = slowerPercent(before, after);
  const isSlower =
    maxSlower !== undefined &&
    percent !== undefined &&
    percent > maxSlower &&
    (after.medianMs ?? 0) - (before.medianMs ?? 0) > ACCEPTED_INCREASE_MS;
  return [
    ...(outputs > 0 ? [{ code: 'outputs', jobs: outputs } as const] : []),
    ...(notRun > 0 ? [{ code: 'notRun', jobs: notRun } as const] : []),
    ...(isSlower ? [{ code: 'slower', percent, accepted: maxSlower } as const] : []),
  ];
}

/** Returns the increase of the median execution time in percent, which is negative for a decrease. */
export function slowerPercent(before: SideReport, after: SideReport): number | undefined {
  if (before.medianMs === undefined || after.medianMs === undefined) return undefined;
  // A median of 0 ms has no ratio.
  return 100 * (after.medianMs / Math.max(1, before.medianMs) - 1);
}

/** Returns a quantile of numbers by the nearest rank. Undefined for none. */
export function quantile(numbers: readonly number[], fraction: number): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)];
}
