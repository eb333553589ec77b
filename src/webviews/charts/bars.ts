/*
 * Ranges and layout of the buckets of a chart. Positions are pixels of the canvas. In stacked bars, positive amounts stack up from zero, and
 * negative ones down.
 */

/** Boundaries of the buckets, in ms since the epoch: one more than there are buckets. */
export interface Timeline {
  readonly times: readonly number[];
}

/** A contiguous part of the bars, as half-open indices: [0, 3) is the first three bars. */
export type Bars = readonly [from: number, to: number];

/** Minimum height of a segment, in CSS pixels, so that small amounts stay visible. */
const MIN_SEGMENT_HEIGHT = 1.5;
const BAR_SHARE = 0.72;
const MAX_BAR_WIDTH = 48;
/** Minimum width of a bar that has a gap to the next one, in CSS pixels. */
const MIN_GAPPED_SLOT = 3;

/** Returns the lowest and the highest end of the stacks of these bars. Contains 0. */
export function extentOf(series: readonly (readonly number[])[], [from, to]: Bars): [low: number, high: number] {
  let [low, high] = [0, 0];
  for (let index = from; index < to; index++) {
    let [up, down] = [0, 0];
    for (const amounts of series) {
      const amount = amounts[index] ?? 0;
      if (amount > 0) up += amount;
      else down += amount;
    }
    low = Math.min(low, down);
    high = Math.max(high, up);
  }
  return [low, high];
}

/**
 * Returns the bars to draw. If there are more bars than columns of pixels, each column draws its largest bar, so that no peak is lost and
 * the time to draw does not grow with the number of buckets.
 */
export function drawnBars(totals: readonly number[], [from, to]: Bars, columns: number): number[] {
  const count = to - from;
  if (count <= columns) return Array.from({ length: Math.max(0, count) }, (_, index) => from + index);
  // A column has the bars whose centers it contains, so that no column stays empty.
  const edge = (column: number) => from + Math.ceil((column * count) / columns - 0.5);
  return Array.from({ length: columns }, (_, column) => {
    const [start, end] = [edge(column), edge(column + 1)];
    let largest = start;
    for (let index = start; index < end; index++)
      if (Math.abs(totals[index] ?? 0) > Math.abs(totals[largest] ?? 0)) largest = index;
    return largest;
  });
}

/** Converts indices and amounts to pixels. */
export interface Scale {
  /** Position of the center of a bar. */
  readonly x: (index: number) => number;
  readonly y: (amount: number) => number;
  /** Distance between the centers of two bars. */
  readonly slot: number;
  /** Pixels of the canvas per CSS pixel. */
  readonly ratio: number;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the width of a bar. Bars that are too narrow for a gap touch each other. */
export function barWidth({ slot, ratio }: Pick<Scale, 'slot' | 'ratio'>): number {
  if (slot < MIN_GAPPED_SLOT * ratio) return Math.max(slot, 1);
  return Math.min(slot * BAR_SHARE, MAX_BAR_WIDTH * ratio);
}

/** Returns the segments of each series for these bars. */
export function stacked(series: readonly (readonly number[])[], bars: readonly number[], scale: Scale): Rect[][] {
  const width = barWidth(scale);
  const zero = scale.y(0);
  const least = MIN_SEGMENT_HEIGHT * scale.ratio;
  const rects = series.map((): Rect[] => []);
  for (const index of bars) {
    const left = scale.x(index) - width / 2;
    // A bar between two pixels would be blurred, and slow to fill.
    const x = Math.round(left);
    const drawnWidth = Math.max(1, Math.round(left + width) - x);
    let [top, bottom] = [zero, zero];
    for (const [place, amounts] of series.entries()) {
      const amount = amounts[index] ?? 0;
      if (amount === 0) continue;
      const height = Math.max(least, Math.abs(scale.y(amount) - zero));
      if (amount > 0) top -= height;
      const y = amount > 0 ? top : bottom;
      if (amount < 0) bottom += height;
      rects[place]?.push({ x, y, width: drawnWidth, height });
    }
  }
  return rects;
}

/** Returns the bars between two times, in ms since the epoch. All bars if no bar is between them. */
export function barsBetween({ times }: Timeline, zoom: readonly [number, number] | undefined): Bars {
  const count = times.length - 1;
  if (!zoom) return [0, count];
  const from = times.findIndex((time) => time >= zoom[0]);
  const to = times.findLastIndex((time) => time <= zoom[1]);
  return from < 0 || to <= from ? [0, count] : [from, to];
}

/** Returns the times of a range of bars, or undefined for all bars. */
export function timesOf({ times }: Timeline, bars: Bars): [number, number] | undefined {
  const [from, to] = clamped(bars, times.length - 1);
  if (from === 0 && to === times.length - 1) return undefined;
  return [times[from] ?? 0, times[to] ?? 0];
}

/** Minimum number of bars that a zoom shows. */
const MIN_BARS = 4;

function clamped([from, to]: Bars, count: number): Bars {
  const span = Math.min(count, Math.max(MIN_BARS, Math.round(to - from)));
  const start = Math.min(Math.max(0, Math.round(from)), count - span);
  return [start, start + span];
}

/** Zooms by a factor around a bar, which keeps its place. A factor below 1 shows fewer bars. */
export function zoomed([from, to]: Bars, factor: number, around: number, count: number): Bars {
  const span = Math.max(MIN_BARS, (to - from) * factor);
  const place = (around - from) / (to - from);
  return clamped([around - place * span, around - place * span + span], count);
}

/** Moves the visible bars. */
export function panned([from, to]: Bars, by: number, count: number): Bars {
  return clamped([from + by, to + by], count);
}
