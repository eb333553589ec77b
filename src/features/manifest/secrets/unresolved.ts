import * as l10n from '@vscode/l10n';
import { joined, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { referenceText } from '../../../account/secrets/envReferences.ts';

const MAX_NAMES = 5;

/** Returns the error for references without a value. Its button adds the first missing secret. */
export function unresolved({ references }: UnresolvedReferencesError): UserError {
  const more = references.length - MAX_NAMES;
  const names = [
    ...references.slice(0, MAX_NAMES).map(referenceText),
    ...(more > 0 ? [l10n.t`${more.toLocaleString('en-US')} more references`] : []),
  ];
  const secret = references.find(({ kind }) => kind === 'secret');
  return new UserError(
    references.length > 1 ? shown`${joined(names, ', ')} have no value` : shown`${joined(names, ', ')} has no value`,
    secret && { label: l10n.t('Add Secret'), command: 'cloudCompute.secrets.add', argument: secret.name },
  );
}
