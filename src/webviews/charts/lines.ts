import type { Bars } from './bars.ts';
import { hueOf, type Theme } from './paint.ts';
import type { Surface } from './plot.ts';
import type { SeriesStyle } from './styles.ts';

/* Lines and bands over the buckets of a chart. A bucket without a value interrupts them. */

/** Values of the buckets. `null`: the bucket has none. */
export type Values = readonly (number | null)[];

export interface Line {
  readonly style: SeriesStyle;
  readonly values: Values;
  /** Width in CSS pixels. */
  readonly width: number;
  readonly isDashed?: boolean;
  /** Text next to the last value, which distinguishes lines without color. */
  readonly label?: string;
}

/** The area between two lines. */
export interface Band {
  readonly style: SeriesStyle;
  readonly low: Values;
  readonly high: Values;
}

const BAND_OPACITY = 0.22;
const DASH = 5;
const LABEL_GAP = 4;
const LABEL_HEIGHT = 13;

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
    let point: LinePoint | undefined;
    for (let index = start; index < end; index++) {
      const value = values[index];
      if (value === undefined || value === null) continue;
      point = point
        ? { ...point, low: Math.min(point.low, value), high: Math.max(point.high, value), last: value }
        : { bar: (start + end - 1) / 2, first: value, low: value, high: value, last: value };
    }
    if (!point) isOpen = false;
    else if (isOpen) parts.at(-1)?.push(point);
    else {
      parts.push([point]);
      isOpen = true;
    }
  }
  return parts;
}

/** Returns the function that paints bands and lines. */
export function prepareLines(
  { lines, bands = [] }: { readonly lines: readonly Line[]; readonly bands?: readonly Band[] },
  element: Element,
  theme: Theme,
): (surface: Surface) => void {
  const colorOf = (style: SeriesStyle) => hueOf(element, style);
  const colors = { lines: lines.map(({ style }) => colorOf(style)), bands: bands.map(({ style }) => colorOf(style)) };
  return (surface) => {
    for (const [place, band] of bands.entries()) paintBand(surface, band, colors.bands[place] ?? theme.dim);
    for (const [place, line] of lines.entries()) paintLine(surface, line, colors.lines[place] ?? theme.dim);
    paintLabels(surface, lines);
  };
}

function columnsOf({ area, scale }: Surface): number {
  return Math.floor(area.width / scale.ratio);
}

function paintLine(surface: Surface, { values, width, isDashed = false }: Line, color: string): void {
  const { context, scale, bars } = surface;
  const { x, y, ratio } = scale;
  context.save();
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = width * ratio;
  context.lineJoin = 'round';
  context.setLineDash(isDashed ? [DASH * ratio, DASH * ratio] : []);
  for (const part of partsOf(values, bars, columnsOf(surface))) {
    const [only] = part;
    if (part.length === 1 && only) {
      // A line of one point would be invisible.
      const radius = Math.max(1.5, width) * ratio;
      context.beginPath();
      context.arc(x(only.bar), y(only.high), radius, 0, 2 * Math.PI);
      context.fill();
      if (only.low === only.high) continue;
    }
    context.beginPath();
    for (const { bar, first, low, high, last } of part) {
      const at = x(bar);
      context.lineTo(at, y(first));
      if (low !== high) {
        context.lineTo(at, y(low));
        context.lineTo(at, y(high));
        context.lineTo(at, y(last));
      }
    }
    context.stroke();
  }
  context.restore();
}

function paintBand(surface: Surface, { low, high }: Band, color: string): void {
  const { context, scale, bars } = surface;
  const columns = columnsOf(surface);
  const lower = partsOf(low, bars, columns);
  context.save();
  context.fillStyle = color;
  context.globalAlpha = BAND_OPACITY;
  for (const [place, part] of partsOf(high, bars, columns).entries()) {
    const bottom = lower[place];
    if (bottom?.length !== part.length) continue;
    context.beginPath();
    for (const point of part) context.lineTo(scale.x(point.bar), scale.y(point.high));
    for (const point of bottom.toReversed()) context.lineTo(scale.x(point.bar), scale.y(point.low));
    context.closePath();
    context.fill();
  }
  context.restore();
}

/** Writes the labels next to the last values, from the top down without an overlap. */
function paintLabels({ context, area, scale, bars, theme }: Surface, lines: readonly Line[]): void {
  const labels = lines
    .flatMap(({ label, values }) => {
      const value = lastValue(values, bars);
      return label === undefined || value === undefined ? [] : [{ label, y: scale.y(value) }];
    })
    .sort((one, other) => one.y - other.y);
  context.save();
  context.fillStyle = theme.dim;
  context.font = scaled(theme.font, scale.ratio);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  let least = area.top;
  for (const { label, y } of labels) {
    const at = Math.min(Math.max(y, least), area.top + area.height);
    context.fillText(label, area.left + area.width + LABEL_GAP * scale.ratio, at);
    least = at + LABEL_HEIGHT * scale.ratio;
  }
  context.restore();
}

function lastValue(values: Values, [from, to]: Bars): number | undefined {
  for (let index = to - 1; index >= from; index--) {
    const value = values[index];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Returns a font for the pixels of the canvas. */
export function scaled(font: string, ratio: number): string {
  return font.replace(/([\d.]+)px/, (_, size: string) => `${Number(size) * ratio}px`);
}
