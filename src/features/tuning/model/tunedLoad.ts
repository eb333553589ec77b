import * as l10n from '@vscode/l10n';
import { arrivalTimes, expectedArrivals, loadSeconds, type LoadProfile } from '../../load/model/arrivals.ts';
import { readReport } from '../../load/model/report.ts';
import { readTrace } from '../../load/model/trace.ts';
import { timesOfPercentiles, type Times } from './times.ts';

/* The load that all simulated settings receive. */

/**
 * Where the arrivals come from.
 *
 * - `jobs`: exact times of jobs that the platform measured.
 * - `ownJobs`: jobs that the user ran from this editor, which are a part of the load.
 * - `counts`: numbers of jobs in periods, within which the times are random.
 * - `file`: recorded arrivals.
 * - `pattern`: a rate that the user entered.
 */
export type ArrivalOrigin = 'jobs' | 'ownJobs' | 'counts' | 'file' | 'pattern';

export interface Arrivals {
  /** In ms after the start, ascending. */
  readonly ms: readonly number[];
  readonly durationMs: number;
  readonly origin: ArrivalOrigin;
  /** Length of the periods of `counts`, in ms. */
  readonly stepMs?: number | undefined;
  /** Number of arrivals that the source has. More than the length of `ms`: the rest is left out. */
  readonly total: number;
}

/** A load with what is known about its times. */
export interface TunedLoad {
  readonly arrivals: Arrivals;
  readonly executions?: Times | undefined;
  readonly coldStarts?: Times | undefined;
  readonly resumes?: Times | undefined;
}

/** A load with all times that a simulation needs. */
export interface CompleteLoad extends TunedLoad {
  readonly executions: Times;
  readonly coldStarts: Times;
}

/** Maximum number of simulated arrivals, so that a thousand settings take seconds. */
export const MAX_ARRIVALS = 20_000;
/** Time of a pattern, in seconds. */
export const PATTERN_SECONDS = 3_600;

/** Returns the load of a pattern. A high rate is simulated for a shorter time. */
export function loadOfPattern(profile: LoadProfile, limit = MAX_ARRIVALS): TunedLoad {
  const ms: number[] = [];
  let isCut = false;
  for (const at of arrivalTimes(profile)) {
    isCut = ms.length === limit;
    if (isCut) break;
    ms.push(at);
  }
  const durationMs = isCut ? spanOf(ms) : loadSeconds(profile) * 1_000;
  const total = isCut ? Math.round(expectedArrivals(profile)) : ms.length;
  return { arrivals: { ms, durationMs, origin: 'pattern', total } };
}

/**
 * Reads recorded arrivals: the report of a load test, or a list of times. A report also has execution times, and so has a list with a member
 * or a column `executionTime`, in ms.
 *
 * @returns the problem with its remedy, which can follow a colon, of a text that is neither
 */
export function loadOfFile(text: string, limit = MAX_ARRIVALS): TunedLoad | { readonly problem: string } {
  const read = readTrace(text);
  if ('problem' in read) return read;
  const report = text.trimStart().startsWith('{') ? readReport(text) : undefined;
  if (report) {
    const load = loadOfPattern(report.profile, limit);
    if (load.arrivals.ms.length < 2)
      return { problem: l10n.t('it has fewer than two arrivals, too few to derive a rate; give a rate instead') };
    const { p50, p90, p99, max, mean } = report.execution;
    const isKnown =
      p50 !== undefined && p90 !== undefined && p99 !== undefined && max !== undefined && mean !== undefined;
    return {
      arrivals: {
        ...load.arrivals,
        ...(report.profile.kind === 'trace' && { durationMs: spanOf(load.arrivals.ms) }),
        origin: 'file',
      },
      ...(isKnown && { executions: timesOfPercentiles({ p50, p90, p99, max, mean }, report.counts.completed) }),
    };
  }
  const { profile, executions = [] } = read;
  const all = [...arrivalTimes(profile)];
  if (all.length < 2)
    return { problem: l10n.t('it has fewer than two arrivals, too few to derive a rate; give a rate instead') };
  const ms = all.slice(0, limit);
  return {
    arrivals: { ms, durationMs: spanOf(ms), origin: 'file', total: all.length },
    ...(executions.length > 0 && {
      executions: { ms: executions.slice(0, limit), origin: 'file', count: executions.length },
    }),
  };
}

/** Returns the time of arrivals, with a mean interval after the last one, so that a month has their rate. */
function spanOf(ms: readonly number[]): number {
  const last = ms.at(-1) ?? 0;
  return Math.max(1, last + last / Math.max(1, ms.length - 1));
}
