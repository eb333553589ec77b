import { hueOf, type Theme } from './paint.ts';
import type { Surface } from './plot.ts';
import type { SeriesStyle } from './styles.ts';
import { lastValue, partsOf, spread, type Values } from './values.ts';

/* Lines and bands over the buckets of a chart. A bucket without a value interrupts them. */

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
  // Joins of many short lines are invisible, and slow to draw.
  context.lineJoin = 'bevel';
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
      if (low < first && low < last) context.lineTo(at, y(low));
      if (high > first && high > last) context.lineTo(at, y(high));
      if (last !== first) context.lineTo(at, y(last));
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

/** Writes the labels next to the last values. */
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
  const places = spread(
    labels.map(({ y }) => y),
    { top: area.top, bottom: area.top + area.height, distance: LABEL_HEIGHT * scale.ratio },
  );
  for (const [index, { label }] of labels.entries())
    context.fillText(label, area.left + area.width + LABEL_GAP * scale.ratio, places[index] ?? area.top);
  context.restore();
}

/** Returns a font for the pixels of the canvas. */
export function scaled(font: string, ratio: number): string {
  return font.replace(/([\d.]+)px/, (_, size: string) => `${Number(size) * ratio}px`);
}
