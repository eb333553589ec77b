/** Returns `; did you mean 'queueDelay'?` for a name that resembles a known name, or an empty string. */
export function suggestion(written: string, known: readonly string[]): string {
  const most = Math.max(1, Math.floor(written.length / 3));
  const nearest = known
    // The edit distance is at least the difference of the lengths.
    .filter((name) => Math.abs(name.length - written.length) <= most)
    .map((name) => ({ name, distance: editDistance(name.toLowerCase(), written.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return nearest && nearest.distance <= most ? `; did you mean '${nearest.name}'?` : '';
}

/** Returns the Levenshtein distance: the number of characters to insert, remove, or replace. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, left] of a.split('').entries()) {
    const current = [row + 1];
    for (const [column, right] of b.split('').entries()) {
      const replaced = (previous[column] ?? 0) + (left === right ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
