import * as l10n from '@vscode/l10n';
import { distance } from 'fastest-levenshtein';

/** Adds `; did you mean 'queueDelay'?` to a message about a name that resembles a known one. */
export function withSuggestion(message: string, written: string, known: readonly string[]): string {
  const [nearest] = similarNames(written, known);
  return nearest === undefined ? message : l10n.t`${message}; did you mean '${nearest}'?`;
}

/** Returns the known names that resemble the written one, the nearest first. Case is irrelevant. */
export function similarNames(written: string, known: readonly string[]): string[] {
  return known
    .map((name) => ({ name, edits: editsBetween(written, name, mostEdits(written)) }))
    .filter(({ edits }) => edits <= mostEdits(written))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
}

/** Returns whether a word is probably a misspelling of another. */
export function resembles(written: string, word: string): boolean {
  const most = mostEdits(word);
  return editsBetween(written, word, most) <= most;
}

/** Returns the number of edits from one word to another, at least up to `most`. Swapped letters count as one edit. */
function editsBetween(written: string, word: string, most: number): number {
  const difference = Math.abs(written.length - word.length);
  // The edit distance is at least the difference of the lengths.
  if (difference > most) return difference;
  const [left, right] = [written.toLowerCase(), word.toLowerCase()];
  const edits = distance(left, right);
  return edits > 1 && letters(left) === letters(right) ? 1 : edits;
}

function mostEdits(written: string): number {
  return Math.max(1, Math.floor(written.length / 3));
}

function letters(word: string): string {
  return Array.from(word).sort().join('');
}
