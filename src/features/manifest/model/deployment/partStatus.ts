import type { Match } from './matchEndpoint.ts';
import * as l10n from '@vscode/l10n';
import { shown, type ShownText } from '../../../../text/shownText.ts';

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

/** Texts and marks of a state. */
export interface StatusWords {
  /** Text of the language status item, with an icon. */
  readonly text: ShownText;
  /** A sentence about the state. */
  readonly detail: ShownText;
  /** Mark in the Explorer. Undefined for a state that needs no attention. */
  readonly badge: string | undefined;
  /** ID of a theme color. */
  readonly color: string | undefined;
}

const marks: Readonly<Record<StatusKind, Pick<StatusWords, 'badge' | 'color'>>> = {
  invalid: { badge: '!', color: 'list.errorForeground' },
  drifted: { badge: '≠', color: 'list.warningForeground' },
  ambiguous: { badge: '?', color: 'list.warningForeground' },
  notDeployed: { badge: '+', color: undefined },
  inSync: { badge: '✓', color: undefined },
  unknown: { badge: undefined, color: undefined },
};

/** @param platform name of the current connection, if there is one */
export function statusWords(status: PartStatus, platform: string | undefined): StatusWords {
  const words = (text: ShownText, detail: ShownText): StatusWords => ({ text, detail, ...marks[status.kind] });
  const place = shown`${platform ?? l10n.t('the platform')}`;
  switch (status.kind) {
    case 'invalid':
      return words(shown`$(error) Invalid`, shown`The manifest has errors.`);
    case 'notDeployed':
      return words(shown`$(circle-outline) Not Deployed`, shown`No endpoint on ${place} belongs to this manifest.`);
    case 'inSync':
      return words(shown`$(check) In Sync`, shown`The endpoint on ${place} has the same settings.`);
    case 'drifted': {
      const settings = status.changes === 1 ? l10n.t('1 setting differs') : l10n.t`${status.changes} settings differ`;
      return words(shown`$(diff) Drifted (${status.changes})`, shown`${settings} from the endpoint on ${place}.`);
    }
    case 'ambiguous':
      return words(
        shown`$(question) Several Endpoints`,
        shown`Several endpoints on ${place} have the name of this manifest.`,
      );
    case 'unknown':
      return platform === undefined
        ? words(shown`$(debug-disconnect) Not Connected`, shown`No platform is connected.`)
        : words(shown`$(question) Unknown`, shown`The endpoint on ${place} cannot be compared yet.`);
  }
}

/** Returns the tooltip of a file with several endpoints. */
export function fileDetail(parts: readonly PartStatus[], platform: string | undefined, status: PartStatus): ShownText {
  const { detail } = statusWords(status, platform);
  if (parts.length <= 1) return detail;
  const same = parts.filter(({ kind }) => kind === status.kind).length;
  return shown`${same} of ${parts.length} endpoints: ${detail}`;
}
