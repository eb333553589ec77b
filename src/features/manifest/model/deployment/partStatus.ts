import type { Match } from './matchEndpoint.ts';

/**
 * State of a manifest in relation to the platform of the current connection.
 *
 * - `invalid`: the manifest has errors.
 * - `notDeployed`: no endpoint belongs to it.
 * - `inSync`: its endpoint has the same settings.
 * - `drifted`: its endpoint has other settings. `changes` is the number of settings that differ.
 * - `ambiguous`: several endpoints have its name.
 * - `unknown`: no platform is connected, or the endpoints have not been read.
 */
export type PartStatus =
  | { readonly kind: 'invalid' | 'notDeployed' | 'ambiguous' | 'unknown' | 'inSync' }
  | { readonly kind: 'drifted'; readonly changes: number };

export type StatusKind = PartStatus['kind'];

/** Inputs of the status. A value is undefined if it is not available. */
export interface Observation {
  readonly valid: boolean;
  /** Undefined if the endpoints of the connection are not known. */
  readonly match: Match | undefined;
  /** Number of settings that differ. Undefined if they cannot be compared. */
  readonly changes: number | undefined;
}

export function statusOf({ valid, match, changes }: Observation): PartStatus {
  if (!valid) return { kind: 'invalid' };
  if (!match) return { kind: 'unknown' };
  if (match.kind === 'none') return { kind: 'notDeployed' };
  if (match.kind === 'ambiguous') return { kind: 'ambiguous' };
  if (changes === undefined) return { kind: 'unknown' };
  return changes === 0 ? { kind: 'inSync' } : { kind: 'drifted', changes };
}

/** States from the most to the least urgent. */
const URGENCY: readonly StatusKind[] = ['invalid', 'drifted', 'ambiguous', 'notDeployed', 'unknown', 'inSync'];

/** Returns the most urgent state, which represents the whole file. Adds up the settings that differ. */
export function statusOfFile(parts: readonly PartStatus[]): PartStatus {
  const kind = URGENCY.find((one) => parts.some((part) => part.kind === one)) ?? 'unknown';
  if (kind !== 'drifted') return { kind };
  return { kind, changes: parts.reduce((sum, part) => sum + (part.kind === 'drifted' ? part.changes : 0), 0) };
}
