import { html, nothing, svg, type TemplateResult } from 'lit';
import { layOut, type Bar, type ChartLayout } from './layout.ts';
import type { Bucket, Spend } from './spend.ts';
import { amountText, exactAmountText, longLabel, spokenBucket } from './words.ts';

const CHART_HEIGHT = 300;

export interface ChartOptions {
  readonly spend: Spend;
  readonly width: number;
  readonly current: number;
  readonly active: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly onActivate: (index: number | undefined) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** Renders a stacked bar for each bucket. The arrow keys move between bars, and each bar has a label for screen readers. */
export function chart(options: ChartOptions): TemplateResult {
  const { spend, width, active, onActivate, onKey } = options;
  const layout = layOut(spend, width, CHART_HEIGHT);
  const bar = active === undefined ? undefined : layout.bars[active];
  const bucket = active === undefined ? undefined : spend.buckets[active];
  return html`
    <div class="chart" @pointerleave=${() => onActivate(undefined)} @keydown=${onKey}>
      <svg
        width=${width}
        height=${CHART_HEIGHT}
        role="group"
        aria-roledescription="bar chart"
        aria-label="Spend over time. Use the arrow keys to move between bars."
      >
        ${axes(layout)} ${layout.bars.map((one, index) => column(one, index, options))}
      </svg>
      ${bar && bucket ? tooltip(bar, bucket, options) : nothing}
    </div>
  `;
}

function axes({ plot, ticks }: ChartLayout): TemplateResult[] {
  return ticks.map(
    ({ y, text }) => svg`
      <line class="grid" x1=${plot.x} x2=${plot.x + plot.width} y1=${y} y2=${y}></line>
      <text class="tick" x=${plot.x - 8} y=${y} aria-hidden="true">${text}</text>`,
  );
}

function column(bar: Bar, index: number, { spend, current, active, now, onActivate }: ChartOptions): TemplateResult {
  const bucket = spend.buckets[index];
  if (!bucket) return svg``;
  const { column, segments, label } = bar;
  return svg`
    <g
      class="bar ${index === active ? 'active' : ''}"
      role="img"
      data-index=${index}
      tabindex=${index === current ? 0 : -1}
      aria-label=${spokenBucket(bucket, spend.bucketSize, now)}
      @pointerenter=${() => onActivate(index)}
      @focus=${() => onActivate(index)}
      @blur=${() => onActivate(undefined)}
    >
      <rect class="column" x=${column.x} y=${column.y} width=${column.width} height=${column.height}></rect>
      ${segments.map(
        ({ x, y, width, height, part }) =>
          svg`<rect class="segment ${part.series.className}" x=${x} y=${y} width=${width} height=${height}></rect>`,
      )}
      ${
        label === undefined
          ? nothing
          : svg`<text class="label" x=${column.x + column.width / 2} y=${column.y + column.height + 17} aria-hidden="true">${label}</text>`
      }
    </g>`;
}

/** Renders the tooltip of a bar. It is hidden from screen readers, because the bar has a label. `placeTooltip` positions it. */
function tooltip({ column }: Bar, bucket: Bucket, { spend, now }: ChartOptions): TemplateResult {
  const { total, parts } = bucket;
  return html`
    <div class="tooltip" aria-hidden="true" data-left=${column.x} data-right=${column.x + column.width}>
      <div class="when">${longLabel(bucket, spend.bucketSize, now)}</div>
      ${
        parts.length === 0
          ? html`<div>No spend</div>`
          : html`<table>
              <tbody>
                ${parts.toReversed().map(
                  ({ series, amount }) =>
                    html`<tr>
                      <td><span class="swatch ${series.className}"></span>${series.label}</td>
                      <td class="amount">${exactAmountText(amount)}</td>
                    </tr>`,
                )}
              </tbody>
              ${
                parts.length > 1
                  ? html`<tfoot>
                      <tr>
                        <td>Total</td>
                        <td class="amount">${exactAmountText(total)}</td>
                      </tr>
                    </tfoot>`
                  : nothing
              }
            </table>`
      }
    </div>
  `;
}

const TOOLTIP_GAP = 6;

/** Places the tooltip to the right of its bar if it fits, otherwise to the left. The page's policy forbids styles in the HTML. */
export function placeTooltip(root: ParentNode): void {
  const element = root.querySelector<HTMLElement>('.tooltip');
  const space = element?.parentElement?.clientWidth;
  if (!element || space === undefined) return;
  const { left: barLeft = '0', right: barRight = '0' } = element.dataset;
  const onTheRight = Number(barRight) + TOOLTIP_GAP;
  const onTheLeft = Number(barLeft) - TOOLTIP_GAP - element.offsetWidth;
  const fitsOnTheRight = onTheRight + element.offsetWidth <= space;
  element.style.left = `${fitsOnTheRight ? onTheRight : Math.max(0, onTheLeft)}px`;
}

/** Renders the legend: each color with its label and its total for the period. */
export function legend({ parts }: Spend): TemplateResult {
  return html`
    <ul class="legend" aria-label="Spend by resource">
      ${parts.map(
        ({ series, amount }) =>
          html`<li>
            <span class="swatch ${series.className}"></span>${series.label}
            <span class="amount" title=${exactAmountText(amount)}>${amountText(amount)}</span>
          </li>`,
      )}
    </ul>
  `;
}
