import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { BillingChart, BillingSort } from './messages.ts';
import { ROWS_STEP } from './model.ts';
import { classesOf, stylesOf } from './styles.ts';
import { amountText, bucketText, countText, exactAmountText } from './words.ts';

export interface TableActions {
  readonly sortBy: (column: string) => void;
  readonly showMore: () => void;
}

/** Returns the indices of the buckets in the order of the table. Equal amounts keep the order of time. */
function sortedBuckets({ totals, series }: BillingChart, { column, descending }: BillingSort): number[] {
  const indices = totals.map((_, index) => index);
  const amounts = column === 'total' ? totals : series.find(({ id }) => id === column)?.amounts;
  if (amounts) indices.sort((one, other) => (amounts[one] ?? 0) - (amounts[other] ?? 0));
  return descending ? indices.reverse() : indices;
}

/** Renders the numbers of the chart as a table that can be sorted by each column. Hidden groups are included. */
export function spendTable(
  chart: BillingChart,
  { sort, rows }: { readonly sort: BillingSort; readonly rows: number },
  { sortBy, showMore }: TableActions,
): TemplateResult {
  const styles = stylesOf(chart);
  const order = sortedBuckets(chart, sort);
  const heading = (column: string, label: unknown, detail?: string) => {
    const isSorted = sort.column === column;
    return html`<th scope="col" aria-sort=${isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" title=${detail ?? nothing} @click=${() => sortBy(column)}>
        ${label}<span class="arrow" aria-hidden="true">${isSorted ? (sort.descending ? '▼' : '▲') : ''}</span>
      </button>
    </th>`;
  };
  return html`
    <div class="table" role="region" aria-label=${l10n.t('Spend as a table')} tabindex="0">
      <table>
        <thead>
          <tr>
            ${heading('time', l10n.t('Time'))} ${heading('total', l10n.t('Total'))}
            ${chart.series.map(({ id, label, detail }) =>
              heading(id, html`<span class="swatch ${classesOf(styles.get(id))}"></span>${label}`, detail),
            )}
          </tr>
        </thead>
        <tbody>
          ${order.slice(0, rows).map(
            (index) =>
              html`<tr>
                <th scope="row">${bucketText(chart, index)}</th>
                ${cell(chart.totals[index] ?? 0)} ${chart.series.map(({ amounts }) => cell(amounts[index] ?? 0))}
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">${l10n.t('Total')}</th>
            ${cell(chart.total)} ${chart.series.map(({ total }) => cell(total))}
          </tr>
        </tfoot>
      </table>
    </div>
    ${
      order.length > rows
        ? html`<p class="more">
            ${l10n.t`${countText(rows)} of ${countText(order.length)} rows`}
            <vscode-button secondary @click=${showMore}>${l10n.t`Show ${ROWS_STEP} More`}</vscode-button>
          </p>`
        : nothing
    }
  `;
}

function cell(amount: number): TemplateResult {
  return html`<td class="amount" title=${exactAmountText(amount)}>${amount === 0 ? '–' : amountText(amount)}</td>`;
}
