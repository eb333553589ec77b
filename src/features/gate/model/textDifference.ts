import { distance } from 'fastest-levenshtein';

/** Largest number of comparisons of characters. */
const MAX_WORK = 20_000_000;

/**
 * Returns the fraction of the characters of the longer text that differ. The part between a common start and a common end counts as different
 * as a whole if it is too long to be compared.
 */
export function textDifference(before: string, after: string): number {
  const longest = Math.max(before.length, after.length);
  if (longest === 0 || before === after) return 0;
  let start = 0;
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before[start] === after[start]) start++;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [first, second] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const isLong = first.length * second.length > MAX_WORK;
  return (isLong ? Math.max(first.length, second.length) : distance(first, second)) / longest;
}
