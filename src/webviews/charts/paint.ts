import type { Pattern, SeriesStyle } from './styles.ts';

/* Colors and patterns for a canvas, from the variables of the editor's theme and of `charts.css`. */

/** Colors of the chart, which do not belong to a series. */
export interface Theme {
  readonly foreground: string;
  readonly dim: string;
  readonly background: string;
  readonly grid: string;
  readonly font: string;
}

/** Reads the colors of the theme. */
export function themeOf(element: Element): Theme {
  const { color, fontFamily, fontSize } = getComputedStyle(element);
  const variable = (name: string, fallback: string) =>
    getComputedStyle(element).getPropertyValue(name).trim() || fallback;
  return {
    foreground: color,
    dim: variable('--vscode-descriptionForeground', color),
    background: variable('--vscode-editor-background', 'Canvas'),
    grid: variable('--grid', color),
    font: `${fontSize} ${fontFamily}`,
  };
}

/** Reads the color of a hue. */
export function hueOf(element: Element, { hue }: SeriesStyle): string {
  return getComputedStyle(element).getPropertyValue(`--hue-${hue}`).trim() || 'gray';
}

/** Side of a pattern's square, in CSS pixels. The swatches of the legend have the same patterns in CSS. */
const TILE = 6;

/** Returns the fill of a series. */
export function fillOf(
  context: CanvasRenderingContext2D,
  pattern: Pattern,
  color: string,
  { background }: Theme,
): string | CanvasPattern {
  if (pattern === 'solid') return color;
  return tile(context, TILE, (tileContext, side) => {
    tileContext.fillStyle = color;
    tileContext.fillRect(0, 0, side, side);
    tileContext.fillStyle = background;
    if (pattern === 'lines') tileContext.fillRect(0, 0, side, side / 3);
    else {
      tileContext.arc(side / 2, side / 2, side / 4, 0, 2 * Math.PI);
      tileContext.fill();
    }
  });
}

/** Share of the color in the flat fill of a pattern, in percent. */
const SHARES: Readonly<Record<Pattern, number>> = { solid: 100, lines: 70, dots: 45 };

/** Returns a fill without a pattern, for bars that are too narrow to show one. The foreground keeps its contrast to the background. */
export function flatFillOf(pattern: Pattern, color: string, { foreground }: Theme): string {
  return pattern === 'solid' ? color : `color-mix(in srgb, ${color} ${SHARES[pattern]}%, ${foreground})`;
}

/** Returns diagonal lines in the background color, which mark the unfinished bucket. */
export function hatch(context: CanvasRenderingContext2D, { background }: Theme): string | CanvasPattern {
  return tile(context, 8, (tileContext, side) => {
    tileContext.strokeStyle = background;
    tileContext.lineWidth = side / 4;
    tileContext.beginPath();
    for (const offset of [-side, 0, side]) {
      tileContext.moveTo(offset, side);
      tileContext.lineTo(offset + side, 0);
    }
    tileContext.stroke();
  });
}

function tile(
  context: CanvasRenderingContext2D,
  size: number,
  draw: (tileContext: OffscreenCanvasRenderingContext2D, side: number) => void,
): string | CanvasPattern {
  const side = Math.round(size * devicePixelRatio);
  const canvas = new OffscreenCanvas(side, side);
  const tileContext = canvas.getContext('2d');
  if (tileContext) draw(tileContext, side);
  return context.createPattern(canvas, 'repeat') ?? 'transparent';
}
