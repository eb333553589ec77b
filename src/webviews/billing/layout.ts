import type { Part, Spend } from './spend.ts';
import { shortLabel, tickText } from './words.ts';

/* Layout of the chart, in pixels. */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Bar {
  /** The entire column of the bucket, which reacts to the pointer. */
  readonly column: Rect;
  readonly segments: readonly (Rect & { readonly part: Part })[];
  /** Text below the bar. Undefined when there is no room for it. */
  readonly label: string | undefined;
}

export interface ChartLayout {
  readonly plot: Rect;
  readonly ticks: readonly { readonly y: number; readonly text: string }[];
  readonly bars: readonly Bar[];
}

const MARGIN = { top: 10, right: 8, bottom: 26 };
const CHARACTER_WIDTH = 7;
const LABEL_GAP = 14;
const TICK_DISTANCE = 55;
const BAR_SHARE = 0.7;
const MAX_BAR_WIDTH = 48;
/** Minimum height of a segment, so that small amounts stay visible. */
const MIN_SEGMENT_HEIGHT = 2;

/** Returns about `count` axis values from zero to at least `max`. The step is 1, 2, or 5 times a power of ten. */
export function niceTicks(max: number, count: number): { readonly values: readonly number[]; readonly step: number } {
  const rough = (max > 0 ? max : 1) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const last = Math.ceil((max > 0 ? max : 1) / step - 1e-9);
  return { values: Array.from({ length: last + 1 }, (_, index) => index * step), step };
}

/** Returns the largest value, or 0 for an empty list. `Math.max(...values)` throws for a large number of buckets. */
function largest<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((most, item) => Math.max(most, valueOf(item)), 0);
}

/** Computes the layout of a spend for a chart of the given size. */
export function layOut(spend: Spend, width: number, height: number): ChartLayout {
  const max = largest(spend.buckets, ({ total }) => total);
  const plotHeight = height - MARGIN.top - MARGIN.bottom;
  const { values, step } = niceTicks(max, Math.max(2, Math.floor(plotHeight / TICK_DISTANCE)));
  const texts = values.map((value) => tickText(value, step));
  const left = Math.max(...texts.map(({ length }) => length)) * CHARACTER_WIDTH + 8;
  const plot: Rect = { x: left, y: MARGIN.top, width: Math.max(0, width - left - MARGIN.right), height: plotHeight };
  const bottom = plot.y + plot.height;
  const y = (value: number) => bottom - (value / (values.at(-1) ?? 1)) * plot.height;
  return {
    plot,
    ticks: values.map((value, index) => ({ y: y(value), text: texts[index] ?? '' })),
    bars: layOutBars(spend, plot, y),
  };
}

function layOutBars({ buckets, bucketSize }: Spend, plot: Rect, y: (value: number) => number): Bar[] {
  const slot = plot.width / Math.max(1, buckets.length);
  const barWidth = Math.min(slot * BAR_SHARE, MAX_BAR_WIDTH);
  const labels = buckets.map(({ start }) => shortLabel(start, bucketSize));
  const every = labelEvery(labels, slot);
  return buckets.map(({ parts }, index) => {
    const column = { x: plot.x + index * slot, y: plot.y, width: slot, height: plot.height };
    const segments = stack(parts, { x: column.x + (slot - barWidth) / 2, width: barWidth }, plot, y);
    return {
      column,
      segments,
      // Counts from the end, so that the current bucket always has a label.
      label: (buckets.length - 1 - index) % every === 0 ? labels[index] : undefined,
    };
  });
}

/** Returns n so that every nth label fits without overlapping the next one. */
export function labelEvery(labels: readonly string[], slot: number): number {
  const widest =
    Math.max(
      largest(labels, ({ length }) => length),
      1,
    ) *
      CHARACTER_WIDTH +
    LABEL_GAP;
  return Math.max(1, Math.ceil(widest / Math.max(slot, 1)));
}

function stack(
  parts: readonly Part[],
  { x, width }: Pick<Rect, 'x' | 'width'>,
  plot: Rect,
  y: (value: number) => number,
): (Rect & { part: Part })[] {
  const bottom = plot.y + plot.height;
  let edge = bottom;
  return parts
    .filter(({ amount }) => amount > 0)
    .map((part) => {
      const height = Math.max(MIN_SEGMENT_HEIGHT, bottom - y(part.amount));
      edge -= height;
      return { x, y: edge, width, height, part };
    });
}
