import type { LoadReport, Settings } from './report.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';

/** A value of two load tests. */
export interface ComparedValue {
  readonly metric:
    'p50' | 'p90' | 'p99' | 'p999' | 'max' | 'mean' | 'errors' | 'throughput' | 'perThousand' | 'workers';
  readonly earlier: number | undefined;
  readonly later: number | undefined;
}

export interface Comparison {
  readonly values: readonly ComparedValue[];
  /** Settings of the endpoint that differ. */
  readonly settings: LoadReport['changes'];
  /** Whether both had the same arrivals on endpoints with the same name. Otherwise, their values mean less. */
  readonly isAlike: boolean;
}

/** Compares a load test with an earlier one. */
export function compareReports(earlier: LoadReport, later: LoadReport): Comparison {
  const latencies = ['p50', 'p90', 'p99', 'p999', 'max', 'mean'] as const;
  const value = (metric: ComparedValue['metric'], of: (report: LoadReport) => number | undefined): ComparedValue => ({
    ...{ metric, earlier: of(earlier), later: of(later) },
  });
  return {
    values: [
      ...latencies.map((metric) => value(metric, ({ latency }) => latency[metric])),
      value('errors', ({ counts }) => errorsOf(counts)),
      value('throughput', ({ throughput }) => throughput),
      value('perThousand', ({ cost }) => cost?.perThousand),
      value('workers', ({ workers }) => workers),
    ],
    settings: changesOf(earlier.settings, later.settings),
    isAlike: earlier.endpoint.name === later.endpoint.name && hasSameArrivals(earlier, later),
  };
}

/** Returns the part of the arrivals that did not complete, 0 to 1. Undefined without arrivals. */
export function errorsOf({ due, completed }: LoadReport['counts']): number | undefined {
  return due === 0 ? undefined : (due - completed) / due;
}

/** Compares the profiles without their seeds, because other random numbers are the same load. */
function hasSameArrivals({ profile: a, end: endA }: LoadReport, { profile: b, end: endB }: LoadReport): boolean {
  if (endA !== 'profile' || endB !== 'profile') return false;
  const key = (profile: LoadReport['profile']) =>
    JSON.stringify(profile.kind === 'rate' ? { ...profile, seed: 0 } : profile);
  return key(a) === key(b);
}

/** Returns the settings of an endpoint that are in force, by the names of a manifest, with the version of its newest release. */
export function settingsOf(
  { workers, scaling, flashboot, timeout, gpu, cpu }: Endpoint,
  version: number | null | undefined,
): Settings {
  const all: Record<string, string | number | undefined> = {
    'workers.min': workers.min,
    'workers.max': workers.max,
    'workers.idleTimeout': workers.idleTimeout,
    'scaling.type': scaling.type,
    'scaling.queueDelay': scaling.queueDelay,
    'scaling.requestCount': scaling.requestCount,
    flashboot,
    timeout,
    gpu: gpu ? `${gpu.count ?? 1} × ${gpu.pools.join(', ')}` : undefined,
    cpu: cpu ? cpu.map(({ id, vcpuCount }) => `${vcpuCount} × ${id}`).join(', ') : undefined,
    version: version ?? undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Settings;
}

/** Returns the settings that differ. */
export function changesOf(from: Settings, to: Settings): LoadReport['changes'] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names
    .filter((setting) => from[setting] !== to[setting])
    .map((setting) => ({ setting, from: from[setting], to: to[setting] }));
}
