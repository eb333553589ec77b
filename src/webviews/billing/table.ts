import { html, type TemplateResult } from 'lit';
import type { Bucket, Spend } from './spend.ts';
import type { Series } from './series.ts';
import { amountText, exactAmountText, longLabel } from './words.ts';

/** Renders the spend as a table, newest bucket first. @param now ms since the epoch */
export function spendTable(spend: Spend, now: number): TemplateResult {
  const { buckets, bucketSize, parts, total } = spend;
  return html`
    <div class="table" role="region" aria-label="Spend as a table" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Total</th>
            ${parts.map(({ series }) => html`<th scope="col"><span class="swatch ${series.className}"></span>${series.label}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${buckets.toReversed().map(
            (bucket) =>
              html`<tr>
                <th scope="row">${longLabel(bucket, bucketSize, now)}</th>
                ${cell(bucket.total)} ${parts.map(({ series }) => cell(amountIn(bucket, series)))}
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            ${cell(total)} ${parts.map(({ amount }) => cell(amount))}
          </tr>
        </tfoot>
      </table>
    </div>
  `;
}

function amountIn({ parts }: Bucket, series: Series): number {
  return parts.find((part) => part.series === series)?.amount ?? 0;
}

function cell(amount: number): TemplateResult {
  return html`<td class="amount" title=${exactAmountText(amount)}>${amount === 0 ? '–' : amountText(amount)}</td>`;
}
