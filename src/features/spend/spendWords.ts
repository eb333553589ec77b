import * as l10n from '@vscode/l10n';
import { explain } from '../../kit/explain.ts';
import type { StatusWords } from '../../kit/statusBar.ts';
import { formatted, joinedMarkdown, table, type Markdown } from '../../text/markdown.ts';
import { shown } from '../../text/shownText.ts';
import type { StatusBarSpend } from './costSettings.ts';
import { percentSpent } from './model/budget.ts';
import { cents } from '../../account/prices/money.ts';
import type { AccountSpend } from '../../account/prices/spend.ts';
import type { SpendState } from './spendStore.ts';

/* Words of the spend in the status bar. */

export interface SpendView {
  readonly amounts: Exclude<StatusBarSpend, 'off'>;
  readonly state: SpendState;
  /** In USD. 0: no budget. */
  readonly budget: number;
  readonly connection: { readonly name: string; readonly kind: 'local' | 'hosted' };
}

export function spendStatus(view: SpendView): StatusWords {
  const { spend, error } = view.state;
  const words = spend ? amountsOf(view.amounts, spend) : error ? l10n.t('Spend unknown') : l10n.t('Reading spend…');
  return {
    text: error ? shown`$(warning) ${words}` : shown`$(credit-card) ${words}`,
    tooltip: { markdown: spendTooltip(view) },
    spoken: shown`Cloud Compute spend: ${words}. Open Billing`,
  };
}

function amountsOf(amounts: SpendView['amounts'], { today, month }: AccountSpend): string {
  const words = [
    ...(amounts === 'month' ? [] : [l10n.t`${cents(today)} today`]),
    ...(amounts === 'today' ? [] : [l10n.t`${cents(month)} this month`]),
  ];
  return words.join(' · ');
}

function spendTooltip({ state, budget, connection }: SpendView): Markdown {
  const { spend, readAt, error } = state;
  const parts = [
    formatted`**Spend on ${connection.name}**`,
    ...(spend ? [table(factsOf(spend, connection.kind === 'hosted' ? budget : 0))] : []),
    ...(connection.kind === 'local'
      ? [l10n.t('The local platform is free. These amounts are what the same use costs at hosted prices.')]
      : []),
    ...(error ? [formatted`$(warning) ${explain(error, l10n.t('Could not read the spend'))}.`] : []),
    ...(readAt === undefined
      ? []
      : [l10n.t`As of ${new Date(readAt).toLocaleTimeString()}. Days and months are in UTC.`]),
    l10n.t('Click to open Billing.'),
  ];
  return joinedMarkdown(parts, '\n\n');
}

function factsOf({ today, month, forecast }: AccountSpend, budget: number): (readonly [string, string])[] {
  const { expected, low, high, basis } = forecast;
  return [
    [l10n.t('Today'), cents(today)],
    [l10n.t('This month'), cents(month)],
    ...(basis.days === 0
      ? []
      : [[l10n.t('Forecast for the month'), l10n.t`${cents(expected)} (${cents(low)} to ${cents(high)})`] as const]),
    ...(budget === 0
      ? []
      : [[l10n.t('Budget'), l10n.t`${percentSpent(month, budget)} % of ${cents(budget)}`] as const]),
  ];
}
