import * as l10n from '@vscode/l10n';
import type { Release } from '../../../contract/release.ts';

/** Returns the names of the changed settings, without the prefixes that they have on the wire. */
export function whatChanged({ diff }: Release): string {
  if (diff.length === 0) return l10n.t('created');
  const names = diff.map(({ field }) => field.replace(/^template\./, '').replace(/^imageName$/, 'image'));
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? l10n.t`${shown} and ${names.length - 3} more` : shown;
}
