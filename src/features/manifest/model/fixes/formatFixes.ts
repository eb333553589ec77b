import * as l10n from '@vscode/l10n';
import { removal } from './fields.ts';
import { firstPreferred, possible, set, words, type Fixer } from './fix.ts';
import { exampleOf, isRequired } from './schemaValue.ts';

/** Maximum length of a corrected text, because searches in it take quadratic time. */
const LONGEST_TEXT = 500;

/** Changes that can give a text the format of a field. Those that match the pattern are offered. */
const CHANGES: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  (text) => text.trim().toLowerCase(),
  (text) => text.replace(/^[\s-]+/, ''),
  (text) => `${text.trim()}/http`,
  (text) => `${text.trim()}.0`,
  (text) => /\d+\.\d+/.exec(text)?.[0] ?? '',
  (text) => `${/\d+/.exec(text)?.[0] ?? ''}/http`,
];

/** Corrects the format of a text, replaces it by an example, or removes an optional field. */
export const formatFixes: Fixer<'wrongFormat'> = ({ path, value, manifest }, { pattern, prefix }) => {
  if (typeof value !== 'string' || value.length > LONGEST_TEXT) return [];
  const corrected = prefix === undefined ? matching(value, pattern) : prefix + value.trim();
  const example = exampleOf(path, manifest);
  const text = corrected ?? example;
  return firstPreferred(
    [
      ...(text === undefined ? [] : [possible(l10n.t`Change to ${words(text)}`, set(path, text))]),
      ...(isRequired(path, manifest) ? [] : [possible(l10n.t`Remove ${words(value)}`, removal(manifest, path))]),
    ],
    corrected !== undefined,
  );
};

/**
 * Returns the first change of a text that matches a pattern.
 *
 * @param pattern regular expression in slashes
 */
function matching(text: string, pattern = ''): string | undefined {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  if (source === undefined) return undefined;
  const expression = new RegExp(source, flags);
  return CHANGES.map((change) => change(text)).find((changed) => expression.test(changed));
}
