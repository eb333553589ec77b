import * as l10n from '@vscode/l10n';
import { shown, type ShownText } from '../../../text/shownText.ts';
import type { PartStatus, StatusKind } from '../model/deployment/partStatus.ts';

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
