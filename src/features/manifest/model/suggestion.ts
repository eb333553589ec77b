import { distance } from 'fastest-levenshtein';

/** Returns `; did you mean 'queueDelay'?` for a name that resembles a known name, or an empty string. */
export function suggestion(written: string, known: readonly string[]): string {
  const [nearest] = similarNames(written, known);
  return nearest === undefined ? '' : `; did you mean '${nearest}'?`;
}

/** Returns the known names that resemble the written one, the nearest first. Case is irrelevant. */
export function similarNames(written: string, known: readonly string[]): string[] {
  const most = mostEdits(written);
  return (
    known
      // The edit distance is at least the difference of the lengths.
      .filter((name) => Math.abs(name.length - written.length) <= most)
      .map((name) => ({ name, edits: distance(name.toLowerCase(), written.toLowerCase()) }))
      .filter(({ edits }) => edits <= most)
      .sort((a, b) => a.edits - b.edits)
      .map(({ name }) => name)
  );
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
