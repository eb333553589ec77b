import { BillingAmounts, type BillingResponse } from '../../contract/billing.ts';

const COLUMNS = ['startTime', 'endTime', ...Object.keys(BillingAmounts.shape)] as const;

/** The records as comma-separated values (RFC 4180), a row per bucket under the wire's own names, in US dollars. */
export function billingCsv({ records }: BillingResponse): string {
  const rows = records.map((record) => COLUMNS.map((column) => cell(record[column])));
  return [COLUMNS, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** Plain decimals: spreadsheets do not agree on 1e-7. A double holds no more than 15 digits that mean something. */
function cell(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  const plain = value.toFixed(12);
  return plain.replace(/\.?0+$/, '');
}
