import * as l10n from '@vscode/l10n';
import type { TemplateResult } from 'lit';
import { chartLegend, type LegendActions } from '../charts/legend.ts';
import { amountText, exactAmountText, shareText } from '../charts/numbers.ts';
import type { BillingChart } from './messages.ts';
import { stylesOf } from './styles.ts';

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
