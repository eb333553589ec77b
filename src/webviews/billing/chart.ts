import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { BillingChart } from './messages.ts';
import { barAfterKey, currentBar, type Model } from './model.ts';
import { barsBetween, panned, zoomed, type Bars } from './stack.ts';
import { classesOf, stylesOf } from './styles.ts';
import { bucketText, exactAmountText, spokenBar } from './words.ts';

export interface ChartActions {
  readonly activate: (bar: number | undefined) => void;
  readonly moveTo: (bar: number) => void;
  readonly zoomTo: (bars: Bars) => void;
}

const ZOOM_STEP = 2;

/**
 * Renders the frame of the chart. `Plot` draws into `.plot`. For assistive technology, the chart is a slider over the bars: the arrow keys
 * move, and each value is spoken with its amounts.
 */
export function chartFrame(chart: BillingChart, model: Model, actions: ChartActions): TemplateResult {
  const current = currentBar(model);
  const count = chart.totals.length;
  const bars = barsBetween(chart, model.zoom);
  const isZoomed = bars[1] - bars[0] < count;
  return html`
    <div class="zoom" role="group" aria-label=${l10n.t('Zoom')}>
      ${zoomButton(l10n.t('Zoom In'), bars[1] - bars[0] <= 4, () => actions.zoomTo(zoomed(bars, 1 / ZOOM_STEP, current, count)))}
      ${zoomButton(l10n.t('Zoom Out'), !isZoomed, () => actions.zoomTo(zoomed(bars, ZOOM_STEP, current, count)))}
      ${zoomButton(l10n.t('Whole Period'), !isZoomed, () => actions.zoomTo([0, count]))}
    </div>
    <div class="chart" @pointerleave=${() => actions.activate(undefined)}>
      <div
        class="plot"
        role="slider"
        tabindex="0"
        aria-label=${l10n.t('Spend over time')}
        aria-orientation="horizontal"
        aria-valuemin="1"
        aria-valuemax=${count}
        aria-valuenow=${current + 1}
        aria-valuetext=${spokenBar(chart, current, model.hidden)}
        aria-describedby="chart-help"
        @keydown=${(event: KeyboardEvent) => onKey(event, bars, current, count, actions)}
        @focus=${() => actions.activate(current)}
        @blur=${() => actions.activate(undefined)}
      ></div>
      <div class="marker" hidden></div>
      ${model.active === undefined || model.active >= count ? nothing : tooltip(chart, model.active, model.hidden)}
    </div>
    <p id="chart-help" class="visually-hidden">
      ${l10n.t('Use the arrow keys to move between bars, plus and minus to zoom, and 0 to show the whole period. Show as Table has the same numbers.')}
    </p>
  `;
}

function zoomButton(label: string, disabled: boolean, onClick: () => void): TemplateResult {
  return html`<button type="button" class="link" ?disabled=${disabled} @click=${onClick}>${label}</button>`;
}

function onKey(event: KeyboardEvent, bars: Bars, current: number, count: number, actions: ChartActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const next = barAfterKey(event.key, current, count);
  if (next !== undefined) {
    actions.moveTo(next);
    const [from, to] = bars;
    if (next < from) actions.zoomTo(panned(bars, next - from, count));
    if (next >= to) actions.zoomTo(panned(bars, next - to + 1, count));
  } else if (event.key === '+' || event.key === '=') actions.zoomTo(zoomed(bars, 1 / ZOOM_STEP, current, count));
  else if (event.key === '-') actions.zoomTo(zoomed(bars, ZOOM_STEP, current, count));
  else if (event.key === '0') actions.zoomTo([0, count]);
  else if (event.key === 'Escape') actions.activate(undefined);
  else return;
  event.preventDefault();
}

/** Renders the tooltip of a bar. It is hidden from assistive technology, which reads the value of the slider. `placeTooltip` positions it. */
function tooltip(chart: BillingChart, index: number, hidden: readonly string[]): TemplateResult {
  const styles = stylesOf(chart);
  const parts = chart.series.filter(({ id, amounts }) => !hidden.includes(id) && amounts[index] !== 0);
  return html`
    <div class="tooltip" aria-hidden="true">
      <div class="when">${bucketText(chart, index)}</div>
      ${
        parts.length === 0
          ? html`<div>${l10n.t('No spend')}</div>`
          : html`<table>
              <tbody>
                ${parts.toReversed().map(
                  ({ id, label, amounts }) =>
                    html`<tr>
                      <td><span class="swatch ${classesOf(styles.get(id))}"></span>${label}</td>
                      <td class="amount">${exactAmountText(amounts[index] ?? 0)}</td>
                    </tr>`,
                )}
              </tbody>
              <tfoot>
                <tr>
                  <td>${hidden.length > 0 ? l10n.t('Total, including hidden groups') : l10n.t('Total')}</td>
                  <td class="amount">${exactAmountText(chart.totals[index] ?? 0)}</td>
                </tr>
              </tfoot>
            </table>`
      }
    </div>
  `;
}

const TOOLTIP_GAP = 6;

/**
 * Places the marker over the active bar, and the tooltip to its right if it fits, otherwise to its left. The page's policy forbids styles in
 * the HTML.
 */
export function placeTooltip(
  root: ParentNode,
  place: { readonly left: number; readonly right: number } | undefined,
): void {
  const marker = root.querySelector<HTMLElement>('.marker');
  if (marker) {
    marker.hidden = place === undefined;
    marker.style.left = `${place?.left ?? 0}px`;
    marker.style.width = `${Math.max(1, (place?.right ?? 0) - (place?.left ?? 0))}px`;
  }
  const element = root.querySelector<HTMLElement>('.tooltip');
  const space = element?.parentElement?.clientWidth;
  if (!element || space === undefined) return;
  element.hidden = place === undefined;
  if (!place) return;
  const onTheRight = place.right + TOOLTIP_GAP;
  const onTheLeft = place.left - TOOLTIP_GAP - element.offsetWidth;
  const fitsOnTheRight = onTheRight + element.offsetWidth <= space;
  element.style.left = `${fitsOnTheRight ? onTheRight : Math.max(0, onTheLeft)}px`;
}
