import { distance } from 'fastest-levenshtein';

/** Returns `; did you mean 'queueDelay'?` for a name that resembles a known name, or an empty string. */
export function suggestion(written: string, known: readonly string[]): string {
  const most = Math.max(1, Math.floor(written.length / 3));
  const nearest = known
    // The edit distance is at least the difference of the lengths.
    .filter((name) => Math.abs(name.length - written.length) <= most)
    .map((name) => ({ name, edits: distance(name.toLowerCase(), written.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0];
  return nearest && nearest.edits <= most ? `; did you mean '${nearest.name}'?` : '';
}
