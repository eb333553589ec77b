import type { SimulationResult } from '../../contract/launch/simulation.ts';

/** Returns the percentiles of the values by their nearest ranks. Sorts the values. */
export function percentiles(values: Float64Array): SimulationResult['waitMs'] {
  values.sort();
  const at = (part: number): number | null => values[Math.max(0, Math.ceil(part * values.length) - 1)] ?? null;
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}
