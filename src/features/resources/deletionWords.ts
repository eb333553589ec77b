import type { CredentialUsers } from './credentials.ts';

/** What somebody should know before a credential is deleted; every user of it is named. */
export function deletionDetail({ endpoints, templates, unknown }: CredentialUsers): string {
  const sentences: string[] = [];
  if (endpoints.length > 0) {
    sentences.push(
      `Used by ${counted(endpoints, 'endpoint')}, whose new workers could no longer pull a private image: ${endpoints.join(', ')}.`,
    );
  }
  if (templates.length > 0) {
    sentences.push(`Named by ${counted(templates, 'template')}: ${templates.join(', ')}.`);
  }
  if (unknown) {
    sentences.push(`Whether ${sentences.length > 0 ? 'more' : 'anything'} uses it cannot be told: ${unknown.message}.`);
  } else if (sentences.length === 0) {
    sentences.push('No endpoint and no template uses it.');
  }
  return [...sentences, 'This cannot be undone.'].join('\n\n');
}

function counted({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? '' : 's'}`;
}
