import type { Bars } from './bars.ts';
import { scaled } from './lines.ts';
import { hueOf, type Theme } from './paint.ts';
import type { Surface } from './plot.ts';
import type { SeriesStyle } from './styles.ts';

/* Ranges without a measurement, and events, over the buckets of a chart. */

/** An event at a position between the bars. */
export interface Mark {
  readonly bar: number;
  readonly label: string;
  readonly style: SeriesStyle;
}

const GAP_OPACITY = 0.35;
const PADDING = 4;
const LINE_HEIGHT = 16;
/** Room above the plot for the labels of events, in CSS pixels. */
export const LABEL_ROOM = 22;

/** Returns the function that shades ranges, with a word if there is room. In a narrow range, the word runs upwards. */
export function prepareGaps(gaps: readonly Bars[], word: string): (surface: Surface) => void {
  return ({ context, area, scale, bars: [from, to], theme }) => {
    context.save();
    context.font = scaled(theme.font, scale.ratio);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    const needed = context.measureText(word).width + 2 * PADDING * scale.ratio;
    for (const [start, end] of gaps) {
      if (end <= from || start >= to) continue;
      const left = Math.max(area.left, scale.x(start - 0.5));
      const right = Math.min(area.left + area.width, scale.x(end - 0.5));
      context.globalAlpha = GAP_OPACITY;
      context.fillStyle = theme.grid;
      context.fillRect(left, area.top, Math.max(1, right - left), area.height);
      const isWide = right - left >= needed;
      if (!isWide && (right - left < LINE_HEIGHT * scale.ratio || area.height < needed)) continue;
      context.save();
      context.globalAlpha = 1;
      context.fillStyle = theme.dim;
      context.translate((left + right) / 2, area.top + area.height / 2);
      if (!isWide) context.rotate(-Math.PI / 2);
      context.fillText(word, 0, 0);
      context.restore();
    }
    context.restore();
  };
}

/** Returns the function that draws a vertical line for each event, with its label above the plot if there is room. */
export function prepareMarks(marks: readonly Mark[], element: Element, theme: Theme): (surface: Surface) => void {
  const colors = marks.map(({ style }) => hueOf(element, style));
  return ({ context, area, scale, bars: [from, to] }) => {
    context.save();
    context.font = scaled(theme.font, scale.ratio);
    context.textAlign = 'center';
    context.textBaseline = 'bottom';
    context.fillStyle = theme.foreground;
    context.lineWidth = Math.max(1, Math.round(scale.ratio));
    let free = 0;
    let drawn = -1;
    for (const [place, { bar, label }] of marks.entries()) {
      if (bar < from - 0.5 || bar > to - 0.5) continue;
      const x = Math.round(scale.x(bar)) + 0.5;
      // Thousands of events have few columns of pixels.
      if (x === drawn) continue;
      drawn = x;
      context.strokeStyle = colors[place] ?? theme.foreground;
      context.setLineDash([2 * scale.ratio, 2 * scale.ratio]);
      context.beginPath();
      context.moveTo(x, area.top);
      context.lineTo(x, area.top + area.height);
      context.stroke();
      const half = context.measureText(label).width / 2;
      if (x - half < free) continue;
      context.fillText(label, x, area.top - 2 * scale.ratio);
      free = x + half + PADDING * scale.ratio;
    }
    context.restore();
  };
}
