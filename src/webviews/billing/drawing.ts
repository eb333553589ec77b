import { extentOf } from '../charts/bars.ts';
import { tickText } from '../charts/numbers.ts';
import type { Drawing } from '../charts/plot.ts';
import { prepareStackedBars } from '../charts/stackedBars.ts';
import { PLAIN } from '../charts/styles.ts';
import type { BillingChart } from './messages.ts';
import { stylesOf } from './styles.ts';
import { labelSize, shortLabel } from './words.ts';

const PLOT_HEIGHT = 300;

/** Returns the drawing of a chart without its hidden series. */
export function drawingOf(chart: BillingChart, hidden: readonly string[]): Drawing {
  const { times, totals, bucketSize, running } = chart;
  const styles = stylesOf(chart);
  const series = chart.series
    .filter(({ id }) => !hidden.includes(id))
    .map(({ id, amounts }) => ({ style: styles.get(id) ?? PLAIN, amounts }));
  const amounts = series.map((one) => one.amounts);
  return {
    count: totals.length,
    height: PLOT_HEIGHT,
    extent: (bars) => extentOf(amounts, bars),
    prepare: (...given) => prepareStackedBars({ series, totals, running }, ...given),
    timeLabels: (bars) => {
      const starts = bars.map((bar) => times[bar] ?? 0);
      const size = labelSize(bucketSize, (starts[1] ?? 0) - (starts[0] ?? 0));
      return starts.map((start) => shortLabel(start, size));
    },
    valueLabel: tickText,
  };
}
