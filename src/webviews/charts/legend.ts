import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { classesOf, type SeriesStyle } from './styles.ts';

export interface LegendActions {
  readonly toggle: (id: string) => void;
  readonly showAll: () => void;
}

export interface LegendEntry {
  readonly id: string;
  readonly label: string;
  readonly style: SeriesStyle | undefined;
  /** Exact value, which the title shows. */
  readonly title?: string | undefined;
  /** Value of the whole period. */
  readonly amount?: string | undefined;
  /** Part of the total. */
  readonly share?: string | undefined;
}

/** Renders a switch for each series. @param label name of the list for assistive technology */
export function chartLegend(
  label: string,
  entries: readonly LegendEntry[],
  hidden: readonly string[],
  { toggle, showAll }: LegendActions,
): TemplateResult {
  return html`
    <ul class="legend" aria-label=${label}>
      ${entries.map(
        ({ id, label: name, style, title, amount, share }) =>
          html`<li>
            <button
              type="button"
              aria-pressed=${!hidden.includes(id)}
              title=${title ?? nothing}
              @click=${() => toggle(id)}
            >
              <span class="swatch ${classesOf(style)}"></span><span class="name">${name}</span>
              ${amount === undefined ? nothing : html`<span class="amount">${amount}</span>`}
              ${share === undefined ? nothing : html`<span class="share">${share}</span>`}
            </button>
          </li>`,
      )}
      ${
        entries.some(({ id }) => hidden.includes(id))
          ? html`<li><button type="button" class="link" @click=${showAll}>${l10n.t('Show All Groups')}</button></li>`
          : nothing
      }
    </ul>
  `;
}
