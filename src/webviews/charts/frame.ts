import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { panned, zoomed, type Bars } from './bars.ts';
import { barAfterKey } from './keys.ts';

export interface FrameActions {
  readonly activate: (bar: number | undefined) => void;
  readonly moveTo: (bar: number) => void;
  readonly zoomTo: (bars: Bars) => void;
  /** The user pressed Enter on the current bar. */
  readonly choose?: (bar: number) => void;
}

export interface Frame {
  /** Name of the chart for assistive technology. */
  readonly label: string;
  /** Number of bars. */
  readonly count: number;
  readonly bars: Bars;
  /** Bar that the keyboard is on. */
  readonly current: number;
  /** Text of the current bar for assistive technology. */
  readonly spoken: string;
  /** ID of the element that describes the keys. */
  readonly helpId: string;
  readonly tooltip: TemplateResult | undefined;
}

const ZOOM_STEP = 2;
/** Minimum number of bars that a zoom shows. */
const MIN_BARS = 4;

/** Renders the buttons for the zoom. */
export function zoomButtons(
  { bars: [from, to], bars, current, count }: Pick<Frame, 'bars' | 'current' | 'count'>,
  { zoomTo }: Pick<FrameActions, 'zoomTo'>,
): TemplateResult {
  const isZoomed = to - from < count;
  return html`
    <div class="zoom" role="group" aria-label=${l10n.t('Zoom')}>
      ${button(l10n.t('Zoom In'), to - from <= MIN_BARS, () => zoomTo(zoomed(bars, 1 / ZOOM_STEP, current, count)))}
      ${button(l10n.t('Zoom Out'), !isZoomed, () => zoomTo(zoomed(bars, ZOOM_STEP, current, count)))}
      ${button(l10n.t('Whole Period'), !isZoomed, () => zoomTo([0, count]))}
    </div>
  `;
}

function button(label: string, disabled: boolean, onClick: () => void): TemplateResult {
  return html`<button type="button" class="link" ?disabled=${disabled} @click=${onClick}>${label}</button>`;
}

/**
 * Renders the frame of a chart. `Plot` draws into `.plot`. For assistive technology, the chart is a slider over the bars: the arrow keys
 * move, and each value is spoken.
 */
export function chartFrame(frame: Frame, actions: FrameActions): TemplateResult {
  const { label, count, current, spoken, helpId, tooltip } = frame;
  return html`
    <div class="chart" @pointerleave=${() => actions.activate(undefined)}>
      <div
        class="plot"
        role="slider"
        tabindex="0"
        aria-label=${label}
        aria-orientation="horizontal"
        aria-valuemin="1"
        aria-valuemax=${count}
        aria-valuenow=${current + 1}
        aria-valuetext=${spoken}
        aria-describedby=${helpId}
        @keydown=${(event: KeyboardEvent) => onKey(event, frame, actions)}
        @focus=${() => actions.activate(current)}
        @blur=${() => actions.activate(undefined)}
      ></div>
      <div class="marker" hidden></div>
      ${tooltip ?? nothing}
    </div>
  `;
}

function onKey(event: KeyboardEvent, { bars, current, count }: Frame, actions: FrameActions): void {
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
  else if (event.key === 'Enter' && actions.choose) actions.choose(current);
  else return;
  event.preventDefault();
}

const TOOLTIP_GAP = 6;

/**
 * Places the marker over the active bar, and the tooltip to its right if it fits, otherwise to its left. The page's policy forbids styles in
 * the HTML.
 *
 * @param root contains the frame of one chart
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
