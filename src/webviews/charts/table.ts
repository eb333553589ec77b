import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { countText } from './numbers.ts';
import { classesOf, type SeriesStyle } from './styles.ts';

/* The numbers of a chart as a table that can be sorted by each column. */

/** Number of rows that a table shows at first, and with each further step. */
export const ROWS_STEP = 200;

export interface TableActions {
  readonly sortBy: (column: string) => void;
  readonly showMore: () => void;
}

/** Order of a table. The column `time` is the order of the buckets. */
export interface TableSort {
  readonly column: string;
  readonly descending: boolean;
}

export interface TableColumn {
  readonly id: string;
  readonly label: string;
  /** Longer name. */
  readonly detail?: string | undefined;
  readonly style?: SeriesStyle | undefined;
  /** Value of each bucket. Undefined: none was measured. */
  readonly values: readonly (number | undefined)[];
  /** Value of the last row. */
  readonly total?: number | undefined;
}

export interface Table {
  /** Name of the table for assistive technology. */
  readonly label: string;
  /** Number of buckets. */
  readonly count: number;
  /** Returns the name of a bucket. */
  readonly time: (bucket: number) => string;
  readonly columns: readonly TableColumn[];
  /** Renders a cell. */
  readonly cell: (value: number | undefined, column: TableColumn) => TemplateResult;
  /** Whether the last row has the totals. */
  readonly hasTotals: boolean;
}

/** Renders a table. */
export function chartTable(
  table: Table,
  { sort, rows }: { readonly sort: TableSort; readonly rows: number },
  { sortBy, showMore }: TableActions,
): TemplateResult {
  const { label, count, time, columns, cell, hasTotals } = table;
  const order = sortedBuckets(count, columns, sort);
  const heading = (column: string, text: unknown, detail?: string) => {
    const isSorted = sort.column === column;
    return html`<th scope="col" aria-sort=${isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" title=${detail ?? nothing} @click=${() => sortBy(column)}>
        ${text}<span class="arrow" aria-hidden="true">${isSorted ? (sort.descending ? '▼' : '▲') : ''}</span>
      </button>
    </th>`;
  };
  return html`
    <div class="table" role="region" aria-label=${label} tabindex="0">
      <table>
        <thead>
          <tr>
            ${heading('time', l10n.t('Time'))}
            ${columns.map(({ id, label: name, detail, style }) =>
              heading(id, style ? html`<span class="swatch ${classesOf(style)}"></span>${name}` : name, detail),
            )}
          </tr>
        </thead>
        <tbody>
          ${order.slice(0, rows).map(
            (index) =>
              html`<tr>
                <th scope="row">${time(index)}</th>
                ${columns.map((column) => cell(column.values[index], column))}
              </tr>`,
          )}
        </tbody>
        ${
          hasTotals
            ? html`<tfoot>
                <tr>
                  <th scope="row">${l10n.t('Total')}</th>
                  ${columns.map((column) => cell(column.total, column))}
                </tr>
              </tfoot>`
            : nothing
        }
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

/** Returns the indices of the buckets in the order of the table. Equal values keep the order of time. */
function sortedBuckets(count: number, columns: readonly TableColumn[], { column, descending }: TableSort): number[] {
  const indices = Array.from({ length: count }, (_, index) => index);
  const values = columns.find(({ id }) => id === column)?.values;
  if (values) indices.sort((one, other) => (values[one] ?? -Infinity) - (values[other] ?? -Infinity) || 0);
  return descending ? indices.reverse() : indices;
}
