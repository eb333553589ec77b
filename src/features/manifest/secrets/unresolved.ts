import { joined, shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import type { UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { referenceText } from '../model/environment/envReferences.ts';

const MAX_NAMES = 5;

/** Returns the error for references without a value. Its button adds the first missing secret. */
export function unresolved({ references }: UnresolvedReferencesError): UserError {
  const more = references.length - MAX_NAMES;
  const names = [
    ...references.slice(0, MAX_NAMES).map(referenceText),
    ...(more > 0 ? [`${more.toLocaleString('en-US')} more references`] : []),
  ];
  const secret = references.find(({ kind }) => kind === 'secret');
  return new UserError(
    shown`${joined(names, ', ')} ${references.length > 1 ? 'have' : 'has'} no value`,
    secret && { label: 'Add Secret', command: 'cloudCompute.secrets.add', argument: secret.name },
  );
}
