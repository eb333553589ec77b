/* Colors and patterns of series. A pattern distinguishes series without color. */

const PATTERNS = ['solid', 'lines', 'dots'] as const;
export type Pattern = (typeof PATTERNS)[number];

const HUES = ['purple', 'blue', 'green', 'orange', 'yellow', 'red'] as const;

/** Appearance of a series: names of CSS classes. */
export interface SeriesStyle {
  readonly hue: (typeof HUES)[number] | 'gray';
  readonly pattern: Pattern;
}

/** Style of a series without a known one. */
export const PLAIN: SeriesStyle = { hue: 'gray', pattern: 'solid' };

/** Returns the style at a place in a list of series. */
export function styleAt(place: number): SeriesStyle {
  return {
    hue: HUES[place % HUES.length] ?? PLAIN.hue,
    pattern: PATTERNS[Math.floor(place / HUES.length) % PATTERNS.length] ?? PLAIN.pattern,
  };
}

/** Returns the CSS classes of a style. */
export function classesOf({ hue, pattern }: SeriesStyle = PLAIN): string {
  return `${hue} ${pattern}`;
}
