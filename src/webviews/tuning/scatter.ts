import * as l10n from '@vscode/l10n';
import { nothing, svg, html, type SVGTemplateResult, type TemplateResult } from 'lit';
import { amountText, tickText } from '../charts/numbers.ts';
import type { TuningResult, TuningRow } from './messages.ts';

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

/* Axes whose values span several powers of ten. */

interface Axis {
  /** Returns the place of a value, rounded to tenths. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Ratio of the largest to the smallest value above which an axis is logarithmic. */
const WIDE = 8;
const MAX_TICKS = 7;

/**
 * Returns an axis for values that are at least 0. If they span powers of ten, the axis is logarithmic, and values near 0 are at its start.
 *
 * @param range places of the least and the largest value
 */
function axisOf(values: readonly number[], [from, to]: readonly [number, number]): Axis {
  const least = values.reduce((one, other) => Math.min(one, other), Infinity);
  const most = Math.max(
    values.reduce((one, other) => Math.max(one, other), 0),
    Number.EPSILON,
  );
  const positive = values.filter((value) => value > 0).reduce((one, other) => Math.min(one, other), most);
  const isLogarithmic = most / positive > WIDE;
  // A thousandth of the largest value is as good as 0.
  const unit = Math.max(positive, most / 1_000);
  const scale = isLogarithmic ? (value: number) => Math.log10(Math.max(value, unit / 2)) : (value: number) => value;
  const low = isLogarithmic ? scale(Math.min(least, most)) : least > most / 2 ? least * 0.9 : 0;
  const high = isLogarithmic ? scale(most * 1.15) : most * 1.05;
  const at = (value: number) => Math.round((from + ((scale(value) - low) / (high - low || 1)) * (to - from)) * 10) / 10;
  const ticks = isLogarithmic ? powerTicks(10 ** low, 10 ** high) : evenTicks(low, high);
  return { at, ticks: isLogarithmic && least < unit / 2 ? [0, ...ticks.filter((tick) => tick > unit)] : ticks };
}

/** Returns 1, 2, and 5 times powers of ten, or only powers if they are too many. */
function powerTicks(low: number, high: number): number[] {
  const steps = [[1, 2, 5], [1, 3], [1]].map((factors) => {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      ticks.push(...factors.map((factor) => factor * 10 ** power));
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high);
  });
  return steps.find(({ length }) => length <= MAX_TICKS) ?? steps.at(-1) ?? [];
}

function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / MAX_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(Math.round(tick / step) * step);
  return ticks;
}
