import * as l10n from '@vscode/l10n';
import { nothing, svg, html, type SVGTemplateResult, type TemplateResult } from 'lit';
import { amountText, tickText } from '../charts/numbers.ts';
import type { TuningResult, TuningRow } from './messages.ts';
import { axisOf, type Axis } from './axis.ts';

/* The picture: cost of a month to the right, wait upwards. It is an SVG, whose shapes have the colors of the theme without being drawn again. */

/** The table is more readable than a smaller picture. */
const LEAST_WIDTH = 300;
const HEIGHT = 380;
const MARGIN = { top: 14, right: 18, bottom: 44, left: 74 };
const DOT = 3;
const MARK = 6;

/**
 * Renders all points, the frontier, the present settings, and the chosen ones. The table has the same numbers for assistive
 * technology.
 *
 * @param available width of the page in pixels
 */
export function scatter(
  { points, rows }: TuningResult,
  chosen: TuningRow | undefined,
  { width: available, choose }: { readonly width: number; readonly choose: (id: string) => void },
): TemplateResult {
  const width = Math.max(LEAST_WIDTH, available);
  const all = [...points, ...rows];
  const cost = axisOf(
    all.map(({ usd }) => usd),
    [MARGIN.left, width - MARGIN.right],
  );
  const wait = axisOf(
    all.map(({ waitMs }) => waitMs),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  const present = rows.find(({ isPresent }) => isPresent);
  const frontier = rows.filter(
    (row) => !row.isPresent || row.id === rows.find(({ waitMs }) => waitMs <= row.waitMs)?.id,
  );
  const path = frontier.map(({ usd, waitMs }, index) => {
    const [x, y] = [cost.at(usd), wait.at(waitMs)];
    return index === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  });
  return html`<svg
    class="scatter"
    viewBox="0 0 ${width} ${HEIGHT}"
    role="img"
    aria-label=${l10n.t('Cost and wait of all simulated settings. The table has the best ones.')}
  >
    ${axes(cost, wait, width)}
    <g class="others">
      ${points.map(({ usd, waitMs }) => svg`<circle cx=${cost.at(usd)} cy=${wait.at(waitMs)} r=${DOT}></circle>`)}
    </g>
    <path class="frontier" d=${path.join('')}></path>
    <g class="frontier">
      ${rows.map(
        (row) => svg`<circle
          cx=${cost.at(row.usd)}
          cy=${wait.at(row.waitMs)}
          r=${DOT + 1}
          @click=${() => choose(row.id)}
        ><title>${amountText(row.usd)}, ${row.wait}: ${row.scaling}, ${row.workers}</title></circle>`,
      )}
    </g>
    ${present ? mark(present, 'present', l10n.t('Present'), cost, wait) : nothing}
    ${chosen && !chosen.isPresent ? mark(chosen, 'chosen', l10n.t('Chosen'), cost, wait) : nothing}
  </svg>`;
}

function axes(cost: Axis, wait: Axis, width: number): SVGTemplateResult {
  const [left, bottom] = [MARGIN.left, HEIGHT - MARGIN.bottom];
  return svg`
    <g class="grid">
      ${wait.ticks.map((value) => svg`<line x1=${left} x2=${width - MARGIN.right} y1=${wait.at(value)} y2=${wait.at(value)}></line>`)}
      ${cost.ticks.map((value) => svg`<line y1=${MARGIN.top} y2=${bottom} x1=${cost.at(value)} x2=${cost.at(value)}></line>`)}
    </g>
    <g class="labels">
      ${wait.ticks.map((value) => svg`<text x=${left - 8} y=${wait.at(value)} dy="0.35em" text-anchor="end">${timeText(value)}</text>`)}
      ${cost.ticks.map((value) => svg`<text x=${cost.at(value)} y=${bottom + 18} text-anchor="middle">${tickText(value, Math.max(1, value / 10))}</text>`)}
      <text x=${width - MARGIN.right} y=${HEIGHT - 6} text-anchor="end">${l10n.t('Cost of a month')}</text>
      <text transform="translate(14 ${MARGIN.top}) rotate(-90)" text-anchor="end">${l10n.t('p95 wait')}</text>
    </g>`;
}

/** Renders a point with its name: a square for the present settings, a diamond for the chosen ones. The names are on different sides. */
function mark(row: TuningRow, name: 'present' | 'chosen', label: string, cost: Axis, wait: Axis): SVGTemplateResult {
  const [x, y] = [cost.at(row.usd), wait.at(row.waitMs)];
  const isRight = name === 'present';
  return svg`<g class=${name}>
    <rect
      x=${x - MARK}
      y=${y - MARK}
      width=${MARK * 2}
      height=${MARK * 2}
      transform=${isRight ? '' : `rotate(45 ${x} ${y})`}
    ></rect>
    <text x=${x} y=${isRight ? y - 12 : y + 22} text-anchor="middle">${label}</text>
  </g>`;
}

/** Formats a time of the axis, such as `300 ms`, `2 s`, or `5 min`. */
function timeText(ms: number): string {
  if (ms === 0) return '0';
  if (ms < 1_000) return l10n.t`${ms} ms`;
  return ms < 60_000 ? l10n.t`${ms / 1_000} s` : l10n.t`${Math.round(ms / 60_000)} min`;
}
