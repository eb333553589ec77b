import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { BillingChart } from './messages.ts';
import { classesOf, stylesOf } from './styles.ts';
import { amountText, exactAmountText, shareText } from './words.ts';

export interface LegendActions {
  readonly toggle: (id: string) => void;
  readonly showAll: () => void;
}

/** Renders a switch for each series, with its total and its share. */
export function legend(
  chart: BillingChart,
  hidden: readonly string[],
  { toggle, showAll }: LegendActions,
): TemplateResult {
  const styles = stylesOf(chart);
  return html`
    <ul class="legend" aria-label=${l10n.t('Groups')}>
      ${chart.series.map(({ id, label, detail, total }) => {
        const isShown = !hidden.includes(id);
        return html`<li>
          <button
            type="button"
            aria-pressed=${isShown}
            title=${detail === undefined ? exactAmountText(total) : l10n.t`${detail}: ${exactAmountText(total)}`}
            @click=${() => toggle(id)}
          >
            <span class="swatch ${classesOf(styles.get(id))}"></span><span class="name">${label}</span>
            <span class="amount">${amountText(total)}</span>
            ${
              chart.total > 0 && total >= 0 && total <= chart.total
                ? html`<span class="share">${shareText(total / chart.total)}</span>`
                : nothing
            }
          </button>
        </li>`;
      })}
      ${
        hidden.length === 0
          ? nothing
          : html`<li><button type="button" class="link" @click=${showAll}>${l10n.t('Show All Groups')}</button></li>`
      }
    </ul>
  `;
}
