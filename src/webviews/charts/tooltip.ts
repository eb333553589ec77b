import { html, nothing, type TemplateResult } from 'lit';
import { classesOf, type SeriesStyle } from './styles.ts';

export interface TooltipRow {
  readonly style: SeriesStyle | undefined;
  readonly label: string;
  readonly value: string;
}

export interface Tooltip {
  /** Interval of the bar. */
  readonly when: string;
  readonly rows: readonly TooltipRow[];
  /** Last row, such as a total. */
  readonly sum?: Omit<TooltipRow, 'style'> | undefined;
  /** Text in place of the rows if there are none. */
  readonly empty: string;
}

/** Renders the tooltip of a bar. It is hidden from assistive technology, which reads the value of the slider. `placeTooltip` positions it. */
export function chartTooltip({ when, rows, sum, empty }: Tooltip): TemplateResult {
  return html`
    <div class="tooltip" aria-hidden="true">
      <div class="when">${when}</div>
      ${
        rows.length === 0
          ? html`<div>${empty}</div>`
          : html`<table>
              <tbody>
                ${rows.map(
                  ({ style, label, value }) =>
                    html`<tr>
                      <td><span class="swatch ${classesOf(style)}"></span>${label}</td>
                      <td class="amount">${value}</td>
                    </tr>`,
                )}
              </tbody>
              ${
                sum
                  ? html`<tfoot>
                      <tr>
                        <td>${sum.label}</td>
                        <td class="amount">${sum.value}</td>
                      </tr>
                    </tfoot>`
                  : nothing
              }
            </table>`
      }
    </div>
  `;
}
