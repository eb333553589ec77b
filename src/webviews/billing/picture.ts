import * as l10n from '@vscode/l10n';
import { amountText } from '../charts/numbers.ts';
import { fillOf, hueOf, themeOf } from '../charts/paint.ts';
import { PLAIN } from '../charts/styles.ts';
import type { BillingChart } from './messages.ts';
import { stylesOf } from './styles.ts';
import { pictureWindowText, SUBJECTS } from './words.ts';

/* A picture of the chart for a report: heading, total, window, groups, and bars, in the colors of the theme. */

const MARGIN = 20;
const LINE = 22;
const SWATCH = 11;
const GAP = 18;

/**
 * Draws the chart's canvas with a heading and a legend. Resolves with the bytes of a PNG file.
 *
 * @param element element whose theme and font the picture has
 */
export async function pictureOf(
  canvas: HTMLCanvasElement,
  chart: BillingChart,
  hidden: readonly string[],
  element: Element,
): Promise<Uint8Array> {
  const ratio = devicePixelRatio;
  const theme = themeOf(element);
  const { fontFamily } = getComputedStyle(element);
  const width = canvas.width / ratio + 2 * MARGIN;
  const visible = chart.series.filter(({ id }) => !hidden.includes(id));
  const rows = legendRows(visible, width - 2 * MARGIN, theme.font);
  const top = MARGIN + 2 * LINE + rows.length * LINE + 10;
  const picture = new OffscreenCanvas(width * ratio, top * ratio + canvas.height + MARGIN * ratio);
  const context = picture.getContext('2d') as unknown as CanvasRenderingContext2D | null;
  if (!context) throw new Error('The browser has no canvas.');
  context.fillStyle = theme.background;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(canvas, MARGIN * ratio, top * ratio);
  context.scale(ratio, ratio);
  context.textBaseline = 'middle';
  context.fillStyle = theme.foreground;
  context.font = `600 18px ${fontFamily}`;
  const heading = l10n.t`${SUBJECTS[chart.grouping]}: ${amountText(chart.total)}`;
  context.fillText(heading, MARGIN, MARGIN + LINE / 2);
  context.font = theme.font;
  context.fillStyle = theme.dim;
  context.fillText(pictureWindowText(chart), MARGIN, MARGIN + LINE * 1.5);
  const styles = stylesOf(chart);
  for (const [row, entries] of rows.entries()) {
    const y = MARGIN + LINE * (row + 2.5);
    for (const { id, text, x } of entries) {
      const style = styles.get(id) ?? PLAIN;
      context.fillStyle = fillOf(context, style.pattern, hueOf(element, style), theme);
      context.fillRect(MARGIN + x, y - SWATCH / 2, SWATCH, SWATCH);
      context.fillStyle = theme.foreground;
      context.fillText(text, MARGIN + x + SWATCH + 6, y);
    }
  }
  const blob = await picture.convertToBlob({ type: 'image/png' });
  return new Uint8Array(await blob.arrayBuffer());
}

interface Entry {
  readonly id: string;
  readonly text: string;
  readonly x: number;
}

/** Distributes the groups over lines that fit the width. */
function legendRows(series: BillingChart['series'], width: number, font: string): Entry[][] {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) return [];
  context.font = font;
  const rows: Entry[][] = [];
  let x = Infinity;
  for (const { id, label, total } of series) {
    const text = l10n.t`${label} ${amountText(total)}`;
    const needed = SWATCH + 6 + context.measureText(text).width;
    if (x + needed > width) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1)?.push({ id, text, x });
    x += needed + GAP;
  }
  return rows;
}
