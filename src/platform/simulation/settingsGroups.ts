import type { SimulatedSettings, SimulationResult } from '../../contract/launch/simulation.ts';
import type { PreparedLoad } from './preparedLoad.ts';
import { simulate, type Outcome } from './simulation.ts';

/** Settings that differ only in their prices and their maximum of workers, those with the highest maximum first. */
export type SettingsGroup = readonly SimulatedSettings[];

export function groupSettings(settings: readonly SimulatedSettings[]): SettingsGroup[] {
  const groups = Map.groupBy(settings, ({ scaling, min, idleTimeoutMs, flashboot, executionFactor }) =>
    JSON.stringify([Object.values(scaling), min, idleTimeoutMs, flashboot, executionFactor]),
  );
  return Array.from(groups.values(), (group) => group.sort((left, right) => right.max - left.max));
}

/** Yields the result of each settings of a group. Settings whose maximum is not reached have the outcome of those with a higher one. */
export function* simulateGroup(load: PreparedLoad, group: SettingsGroup): Generator<SimulationResult, void> {
  let last: { readonly max: number; readonly outcome: Outcome } | undefined;
  for (const settings of group) {
    const { id, max, usdPerSecond } = settings;
    const isSame = last && (max === last.max || max > last.outcome.needed);
    const outcome: Outcome = isSame && last ? last.outcome : simulate(load, settings);
    last = { max, outcome };
    const { paidSeconds, needed: _, ...result } = outcome;
    yield { id, usd: paidSeconds * usdPerSecond, ...result };
  }
}
