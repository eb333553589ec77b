import { distance } from 'fastest-levenshtein';

/** Returns `; did you mean 'queueDelay'?` for a name that resembles a known name, or an empty string. */
export function suggestion(written: string, known: readonly string[]): string {
  const most = mostEdits(written);
  const nearest = known
    // The edit distance is at least the difference of the lengths.
    .filter((name) => Math.abs(name.length - written.length) <= most)
    .map((name) => ({ name, edits: distance(name.toLowerCase(), written.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0];
  return nearest && nearest.edits <= most ? `; did you mean '${nearest.name}'?` : '';
}

/** Returns whether a word is probably a misspelling of another, such as one with swapped letters. */
export function resembles(written: string, word: string): boolean {
  if (Math.abs(written.length - word.length) > word.length) return false;
  const [left, right] = [written.toLowerCase(), word.toLowerCase()];
  return letters(left) === letters(right) || distance(left, right) <= mostEdits(right);
}

function mostEdits(written: string): number {
  return Math.max(1, Math.floor(written.length / 3));
}

function letters(word: string): string {
  return Array.from(word).sort().join('');
}
