const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** Formats a number of milliseconds exactly, such as `5 min` or `1 h 1.5 s`. Undefined below one second. */
export function durationWords(ms: number): string | undefined {
  if (!Number.isSafeInteger(ms) || ms < 1_000) return undefined;
  let rest = ms;
  const words: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) words.push(`${count} ${unit}`);
    rest -= count * size;
  }
  if (rest > 0) words.push(`${rest / 1_000} s`);
  return words.join(' ');
}
