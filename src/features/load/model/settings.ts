import type { Endpoint } from '../../../contract/endpoint.ts';
import type { LoadReport, Settings } from './report.ts';

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
