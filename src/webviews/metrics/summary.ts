import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { MetricsSelection, MetricsView } from './messages.ts';
import { differenceText, summaryColumns } from './words.ts';

/** Renders the numbers of the whole period, each with its difference to the comparison. */
export function summary({ summary: current, compared, selection }: MetricsView, isQueue: boolean): TemplateResult {
  const columns = summaryColumns(isQueue).flatMap(({ name, label, text }) => {
    const value = current?.[name];
    const before = selection.compare === 'none' ? undefined : compared?.[name];
    return value === undefined && before === undefined ? [] : [{ label, text, value, before }];
  });
  if (columns.length === 0) return html``;
  return html`
    <dl class="figures" aria-label=${l10n.t('Whole period')}>
      ${columns.map(
        ({ label, text, value, before }) =>
          html`<div>
            <dt>${label}</dt>
            <dd class="value">${value === undefined ? '–' : text(value)}</dd>
            ${before === undefined ? nothing : html`<dd class="dim">${comparisonText(value, before, text)}</dd>`}
          </div>`,
      )}
    </dl>
  `;
}

function comparisonText(value: number | undefined, before: number, text: (value: number) => string): string {
  const difference = differenceText(value, before);
  return difference === undefined ? l10n.t`against ${text(before)}` : l10n.t`${difference} against ${text(before)}`;
}

/** Names what the numbers and the dashed lines are compared with. */
export function comparedName({ compare }: MetricsSelection): string {
  return typeof compare === 'number' ? l10n.t`Release ${compare}` : l10n.t('The period before');
}
