import { barWidth, drawnBars, extentOf, stacked } from './bars.ts';
import { fillOf, flatFillOf, hatch, hueOf, type Theme } from './paint.ts';
import { isWide, type Surface } from './plot.ts';
import type { SeriesStyle } from './styles.ts';

/** A series of stacked bars. */
export interface BarSeries {
  readonly style: SeriesStyle;
  /** Amount in each bucket. */
  readonly amounts: readonly number[];
}

export interface StackedBars {
  /** Visible series, the lowest one first. */
  readonly series: readonly BarSeries[];
  /** Size of each bucket, which decides which bars are drawn if there are more than pixels. */
  readonly totals: readonly number[];
  /** Index of the unfinished bucket, which is hatched. */
  readonly running?: number | undefined;
}

/** Returns the function that paints stacked bars. */
export function prepareStackedBars(
  bars: StackedBars,
  context: CanvasRenderingContext2D,
  element: Element,
  theme: Theme,
): (surface: Surface) => void {
  const fills = bars.series.map(({ style }) => {
    const color = hueOf(element, style);
    return { wide: fillOf(context, style.pattern, color, theme), narrow: flatFillOf(style.pattern, color, theme) };
  });
  const amounts = bars.series.map((one) => one.amounts);
  return (surface) => {
    paintBars(surface, bars, amounts, fills);
    paintMarks(surface, bars, amounts);
  };
}

interface Fill {
  readonly wide: string | CanvasPattern;
  readonly narrow: string;
}

type Amounts = readonly (readonly number[])[];

/** Draws the segments one by one. A path of thousands of rectangles takes many times as long to fill. */
function paintBars(
  { context, area, scale, bars, theme }: Surface,
  { totals }: StackedBars,
  amounts: Amounts,
  fills: readonly Fill[],
): void {
  const drawn = drawnBars(totals, bars, Math.floor(area.width / scale.ratio));
  const wide = isWide(scale);
  // The gap separates the segments of a bar.
  const gap = wide ? scale.ratio : 0;
  for (const [place, rects] of stacked(amounts, drawn, scale).entries()) {
    const fill = fills[place];
    context.fillStyle = (wide ? fill?.wide : fill?.narrow) ?? theme.foreground;
    for (const { x, y, width, height } of rects) {
      // Whole pixels are sharp, and fast to fill.
      const top = Math.round(y);
      context.fillRect(x, top, width, Math.max(1, Math.round(y + height) - top - gap));
    }
  }
}

/** Draws the line at zero if there are negative amounts, and hatches the unfinished bar. */
function paintMarks({ context, area, scale, bars, theme }: Surface, { running }: StackedBars, amounts: Amounts): void {
  const [from, to] = bars;
  // Only negative amounts need room below zero.
  if (scale.y(0) < area.top + area.height - 1) {
    context.fillStyle = theme.foreground;
    context.fillRect(area.left, Math.round(scale.y(0)), area.width, Math.max(1, Math.round(scale.ratio)));
  }
  if (running === undefined || running < from || running >= to) return;
  const [low, high] = extentOf(amounts, [running, running + 1]);
  const width = barWidth(scale);
  context.fillStyle = hatch(context, theme);
  context.fillRect(scale.x(running) - width / 2, scale.y(high), width, scale.y(low) - scale.y(high));
}
