import { drawingOf } from '../../../src/webviews/billing/drawing.ts';
import { placeTooltip } from '../../../src/webviews/charts/frame.ts';
import { Plot } from '../../../src/webviews/charts/plot.ts';
import type { BillingChart } from '../../../src/webviews/billing/messages.ts';
import { WIDTH, type Candidate } from './candidate.ts';

/** The chart of the billing view: uPlot with the product's layout of bars, patterns, and marks. */
const draw: Candidate = (element, { series, count }) => {
  const start = Date.UTC(2025, 0);
  const chart: BillingChart = {
    grouping: 'kind',
    bucketSize: 'hour',
    times: Array.from({ length: count + 1 }, (_, index) => start + index * 3_600_000),
    totals: Array.from({ length: count }, (_, index) =>
      series.reduce((sum, amounts) => sum + (amounts[index] ?? 0), 0),
    ),
    total: 0,
    series: series.map((amounts, index) => ({ id: `s${index}`, label: `s${index}`, total: 1, amounts })),
    running: count - 1,
  };
  const drawing = drawingOf(chart, []);
  const plot = new Plot(element, { onPoint: () => undefined, onZoom: () => undefined });
  plot.show({ drawing, bars: [0, count] }, WIDTH);
  const marker = element.parentElement?.appendChild(document.createElement('div'));
  const tooltip = element.parentElement?.appendChild(document.createElement('div'));
  marker?.classList.add('marker');
  tooltip?.classList.add('tooltip');
  return {
    showRange: (from, to) => plot.show({ drawing, bars: [from, to] }, WIDTH),
    showTooltip: (bar) => {
      if (tooltip) tooltip.textContent = series.map((amounts, index) => `s${index} ${amounts[bar] ?? 0}`).join(' ');
      placeTooltip(document, plot.place(bar));
    },
  };
};
export default draw;
