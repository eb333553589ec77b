import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { barsBetween } from '../charts/bars.ts';
import { chartFrame, zoomButtons, type FrameActions } from '../charts/frame.ts';
import { exactAmountText, amountText, shareText } from '../charts/numbers.ts';
import { chartTooltip } from '../charts/tooltip.ts';
import type { BillingChart } from './messages.ts';
import { currentBar, type Model } from './model.ts';
import { stylesOf } from './styles.ts';
import { bucketText, spokenBar } from './words.ts';
import { chartLegend, type LegendActions } from '../charts/legend.ts';
import { chartTable, type TableActions, type TableSort } from '../charts/table.ts';

/** Renders the buttons for the zoom, and the frame of the chart. */
export function spendChart(chart: BillingChart, model: Model, actions: FrameActions): TemplateResult {
  const current = currentBar(model);
  const frame = {
    label: l10n.t('Spend over time'),
    count: chart.totals.length,
    bars: barsBetween(chart, model.zoom),
    current,
    spoken: spokenBar(chart, current, model.hidden),
    helpId: 'chart-help',
    tooltip:
      model.active === undefined || model.active >= chart.totals.length
        ? undefined
        : tooltip(chart, model.active, model.hidden),
  };
  return html`
    ${zoomButtons(frame, actions)} ${chartFrame(frame, actions)}
    <p id="chart-help" class="visually-hidden">
      ${l10n.t('Use the arrow keys to move between bars, plus and minus to zoom, and 0 to show the whole period. Show as Table has the same numbers.')}
    </p>
  `;
}

function tooltip(chart: BillingChart, index: number, hidden: readonly string[]): TemplateResult {
  const styles = stylesOf(chart);
  const parts = chart.series.filter(({ id, amounts }) => !hidden.includes(id) && amounts[index] !== 0);
  return chartTooltip({
    when: bucketText(chart, index),
    rows: parts.toReversed().map(({ id, label, amounts }) => ({
      style: styles.get(id),
      label,
      value: exactAmountText(amounts[index] ?? 0),
    })),
    sum: {
      label: hidden.length > 0 ? l10n.t('Total, including hidden groups') : l10n.t('Total'),
      value: exactAmountText(chart.totals[index] ?? 0),
    },
    empty: l10n.t('No spend'),
  });
}

/** Renders a switch for each series, with its total and its share. */
export function legend(chart: BillingChart, hidden: readonly string[], actions: LegendActions): TemplateResult {
  const styles = stylesOf(chart);
  const entries = chart.series.map(({ id, label, detail, total }) => ({
    id,
    label,
    style: styles.get(id),
    title: detail === undefined ? exactAmountText(total) : l10n.t`${detail}: ${exactAmountText(total)}`,
    amount: amountText(total),
    share: chart.total > 0 && total >= 0 && total <= chart.total ? shareText(total / chart.total) : undefined,
  }));
  return chartLegend(l10n.t('Groups'), entries, hidden, actions);
}

/** Renders the numbers of the chart as a table that can be sorted by each column. Hidden groups are included. */
export function spendTable(
  chart: BillingChart,
  state: { readonly sort: TableSort; readonly rows: number },
  actions: TableActions,
): TemplateResult {
  const styles = stylesOf(chart);
  const columns = [
    { id: 'total', label: l10n.t('Total'), values: chart.totals, total: chart.total },
    ...chart.series.map(({ id, label, detail, amounts, total }) => ({
      ...{ id, label, detail, total },
      style: styles.get(id),
      values: amounts,
    })),
  ];
  const table = {
    label: l10n.t('Spend as a table'),
    count: chart.totals.length,
    time: (index: number) => bucketText(chart, index),
    columns,
    cell,
    hasTotals: true,
  };
  return chartTable(table, state, actions);
}

function cell(amount = 0): TemplateResult {
  return html`<td class="amount" title=${exactAmountText(amount)}>${amount === 0 ? '–' : amountText(amount)}</td>`;
}
