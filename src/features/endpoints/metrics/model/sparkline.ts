const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const NO_VALUE = '·';

/** Draws values as block characters, from 0 to the largest one. A dot has no value. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const largest = Math.max(...values.map((value) => value ?? 0));
  return values
    .map((value) => {
      if (value === undefined) return NO_VALUE;
      const share = largest === 0 ? 0 : value / largest;
      return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(share * BLOCKS.length))];
    })
    .join('');
}

/** Formats a duration: `120 ms`, `1.2 s`, `95 s`. */
export function shortDuration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
