import * as l10n from '@vscode/l10n';

/** A search in a log, or the reason why it is not possible. */
export type SearchPattern = { readonly expression: RegExp } | { readonly problem: string };

/** Maximum length of a search, in UTF-16 code units. */
const LONGEST = 2000;

/**
 * Parses a search: text, which ignores case, or a regular expression with flags, such as `/time(d out|out)/i`. A path such as `/usr/local`
 * is text, because its end is not a list of flags.
 */
export function parseSearch(text: string): SearchPattern {
  if (text.trim() === '') return { problem: l10n.t('Enter text, or a regular expression such as /error|failed/i') };
  if (text.length > LONGEST) return { problem: l10n.t`The search is longer than ${LONGEST} characters` };
  const [, source, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/.exec(text) ?? [];
  const isExpression = source !== undefined && new Set(flags).size === flags.length;
  return isExpression ? parseExpression(source, flags) : { expression: new RegExp(escaped(text), 'iu') };
}

/** Flags that have no effect on the first match of a line, other than to move it. */
const IDLE_FLAGS = /[dgy]/g;

function parseExpression(source: string, flags: string): SearchPattern {
  try {
    const expression = new RegExp(source, flags.replaceAll(IDLE_FLAGS, ''));
    return expression.test('')
      ? { problem: l10n.t('This expression also matches empty text, so every line matches') }
      : { expression };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
