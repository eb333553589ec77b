import type { BillingChart } from '../../../../webviews/billing/messages.ts';
import { decimal, trillionths } from '../../../../account/prices/amounts.ts';

/* Exports of the chart's numbers, in US dollars. */

/** Returns the chart as CSV (RFC 4180). Each bucket is a row, with its total and a column for each group. */
export function csvOf({ times, totals, series }: BillingChart): string {
  const heading = ['startTime', 'endTime', 'totalAmount', ...series.map(columnName)];
  const rows = totals.map((total, index) => [
    isoTime(times[index]),
    isoTime(times[index + 1]),
    plain(total),
    ...series.map(({ amounts }) => plain(amounts[index] ?? 0)),
  ]);
  return [heading, ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/** Returns the chart as JSON with the resolved window, its total, the groups, and the amounts of each bucket. */
export function jsonOf({ grouping, bucketSize, times, totals, total, series }: BillingChart): string {
  const document = {
    query: { startTime: isoTime(times[0]), endTime: isoTime(times.at(-1)), bucketSize, groupBy: grouping },
    currency: 'USD',
    totalAmount: total,
    groups: series.map((one) => ({ id: one.id, name: one.label, totalAmount: one.total })),
    records: totals.map((totalAmount, index) => ({
      startTime: isoTime(times[index]),
      endTime: isoTime(times[index + 1]),
      totalAmount,
      amounts: Object.fromEntries(series.map(({ id, amounts }) => [id, amounts[index] ?? 0])),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Returns the name of an exported file: `billing-2025-11-01-to-2025-11-30.csv`. The days are in UTC, and the last one is included. */
export function exportName({ times }: BillingChart, extension: string): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const [start, end] = [day(times[0] ?? 0), day((times.at(-1) ?? 1) - 1)];
  return `billing-${start}${start === end ? '' : `-to-${end}`}.${extension}`;
}

function columnName({ id, label, detail }: BillingChart['series'][number]): string {
  // The names of the API for its own amounts.
  if (id.endsWith('Amount')) return id;
  return detail === undefined || label.includes(detail) ? label : `${label} (${detail})`;
}

/** Spreadsheets run a cell that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

function quoted(cell: string): string {
  const inert = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Returns a plain decimal, because spreadsheets read 1e-7 in different ways. */
function plain(amount: number): string {
  return decimal(trillionths(amount));
}

function isoTime(time = 0): string {
  return new Date(time).toISOString();
}
