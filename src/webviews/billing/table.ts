import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { amountText, exactAmountText } from '../charts/numbers.ts';
import { chartTable, type TableActions, type TableSort } from '../charts/table.ts';
import type { BillingChart } from './messages.ts';
import { stylesOf } from './styles.ts';
import { bucketText } from './words.ts';

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
