import * as l10n from '@vscode/l10n';
import { foreign, joined, shown, type ShownText } from '../../../text/shownText.ts';
import type { CredentialUsers } from '../../../account/credentials.ts';

/** Returns the detail text of the confirmation, which lists the endpoints and templates that use the credential. */
export function deletionDetail({ endpoints, templates, unknown }: CredentialUsers): ShownText {
  const sentences: ShownText[] = [];
  if (endpoints.length > 0) {
    sentences.push(
      endpoints.length === 1
        ? shown`Used by 1 endpoint: ${names(endpoints)}. New workers cannot pull private images.`
        : shown`Used by ${endpoints.length} endpoints: ${names(endpoints)}. New workers cannot pull private images.`,
    );
  }
  if (templates.length > 0) {
    sentences.push(
      templates.length === 1
        ? shown`Used by 1 template: ${names(templates)}.`
        : shown`Used by ${templates.length} templates: ${names(templates)}.`,
    );
  }
  if (unknown) {
    sentences.push(
      shown`Could not check whether anything${sentences.length > 0 ? l10n.t(' else') : ''} uses it: ${unknown.message}.`,
    );
  } else if (sentences.length === 0) {
    sentences.push(shown`No endpoint or template uses it.`);
  }
  return joined([...sentences, l10n.t('This cannot be undone.')], '\n\n');
}

const LONGEST_NAME = 100;
/** Maximum number of names in a question. A count stands for the others. */
const MAX_NAMED = 50;

function names(all: readonly string[]): ShownText {
  const more = all.length - MAX_NAMED;
  const named = all.slice(0, MAX_NAMED).map((name) => foreign(name, LONGEST_NAME));
  return joined([...named, ...(more > 0 ? [shown`and ${more} more`] : [])], ', ');
}
