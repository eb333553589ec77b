import { BillingAmounts, type BillingResponse } from '../../contract/billing.ts';

const COLUMNS = ['startTime', 'endTime', ...Object.keys(BillingAmounts.shape)] as const;

/** Returns the records as CSV (RFC 4180), in US dollars. Each bucket is a row, and columns have the names of the API. */
export function billingCsv({ records }: BillingResponse): string {
  const rows = records.map((record) => COLUMNS.map((column) => cell(record[column])));
  return [COLUMNS, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** Returns a plain decimal with up to 12 digits after the point, because spreadsheets read 1e-7 in different ways. */
function cell(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  const plain = value.toFixed(12);
  return plain.replace(/\.?0+$/, '');
}
