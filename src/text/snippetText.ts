/** Escapes text for a snippet. */
export function snippetText(text: string): string {
  return text.replaceAll(/[\\$}]/g, '\\$&');
}
