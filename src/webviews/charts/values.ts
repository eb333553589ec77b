import type { Bars } from './bars.ts';

/* Values over the buckets of a chart, which some buckets do not have. */

/** Values of the buckets. `null`: the bucket has none. */
export type Values = readonly (number | null)[];

/** Returns the largest value of these bars, or 0. */
export function largestOf(all: readonly Values[], [from, to]: Bars): number {
  let largest = 0;
  for (const values of all) for (let index = from; index < to; index++) largest = Math.max(largest, values[index] ?? 0);
  return largest;
}

/** A point of a line: a position between the first and the last bar, and the lowest and the highest value there. */
export interface LinePoint {
  readonly bar: number;
  readonly first: number;
  readonly low: number;
  readonly high: number;
  readonly last: number;
}

/**
 * Returns the parts of a line, which end at buckets without a value. If there are more bars than columns of pixels, a point has the lowest and
 * the highest value of its column, so that no peak is lost.
 */
export function partsOf(values: Values, [from, to]: Bars, columns: number): LinePoint[][] {
  const parts: LinePoint[][] = [];
  let isOpen = false;
  const count = Math.min(to - from, Math.max(1, columns));
  for (let column = 0; column < count; column++) {
    const start = from + Math.floor((column * (to - from)) / count);
    const end = from + Math.floor(((column + 1) * (to - from)) / count);
    let [first, low, high, last]: (number | undefined)[] = [];
    for (let index = start; index < end; index++) {
      const value = values[index];
      if (value === undefined || value === null) continue;
      first ??= value;
      low = low === undefined || value < low ? value : low;
      high = high === undefined || value > high ? value : high;
      last = value;
    }
    if (first === undefined || low === undefined || high === undefined || last === undefined) {
      isOpen = false;
      continue;
    }
    const point = { bar: (start + end - 1) / 2, first, low, high, last };
    if (isOpen) parts.at(-1)?.push(point);
    else parts.push([point]);
    isOpen = true;
  }
  return parts;
}

/** Returns the last value of these bars. */
export function lastValue(values: Values, [from, to]: Bars): number | undefined {
  for (let index = to - 1; index >= from; index--) {
    const value = values[index];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Returns places near the given ones, which ascend, with at least a distance between them. If all fit, they are between top and bottom. */
export function spread(
  wanted: readonly number[],
  { top, bottom, distance }: { readonly top: number; readonly bottom: number; readonly distance: number },
): number[] {
  let least = top;
  const places = wanted.map((place) => {
    const at = Math.max(place, least);
    least = at + distance;
    return at;
  });
  let most = bottom;
  for (let index = places.length - 1; index >= 0; index--) {
    const at = Math.min(places[index] ?? most, most);
    places[index] = at;
    most = at - distance;
  }
  return places;
}
