import * as l10n from '@vscode/l10n';
import { isObject } from '../../model/jobInput.ts';
import type { RowReference } from './sourceRow.ts';

/** Statuses of rows without a result. */
export type OpenStatus = 'NOT_SENT' | 'UNCERTAIN' | 'IN_FLIGHT';

/** A line of the results. Times are in ms, and the cost is an estimate in USD. */
export interface ResultLine {
  readonly row: number;
  readonly reference: RowReference;
  readonly jobId: string | undefined;
  readonly status: string;
  readonly delayTime: number | undefined;
  readonly executionTime: number | undefined;
  readonly workerId: string | undefined;
  readonly costUsd: number | undefined;
  readonly output?: unknown;
  readonly error: string | undefined;
}

const FACTS = [
  ...['row', 'reference', 'jobId', 'status', 'delayTime', 'executionTime', 'workerId', 'costUsd', 'error'],
] as readonly (keyof ResultLine)[];

/** Maximum number of columns for members of the output. Others are in the column of the whole output. */
const MAX_MEMBERS = 200;

/** Returns a line of the results. @param price highest price of one worker, in USD per hour */
export function resultLine(
  { row, id, status, delayTime, executionTime, workerId, output, error }: RowResult,
  { reference, price }: { readonly reference: RowReference; readonly price: number | undefined },
): ResultLine {
  const isPriced = price !== undefined && executionTime !== undefined;
  // Like the amounts of bills, in whole nano-dollars.
  const costUsd = isPriced ? Number(((executionTime / 3_600_000) * price).toFixed(9)) : undefined;
  const facts = { row, reference, jobId: id, status, delayTime, executionTime, workerId, costUsd };
  return { ...facts, ...(output === undefined ? {} : { output }), error };
}

/** Columns of the table: members of outputs that are objects, and the whole output of other rows. */
export class OutputColumns {
  readonly members = new Set<string>();
  hasWhole = false;

  add(output: unknown): void {
    if (output === undefined) return;
    if (!isObject(output)) {
      this.hasWhole = true;
      return;
    }
    for (const name of Object.keys(output)) {
      if (this.members.size < MAX_MEMBERS) this.members.add(name);
      else if (!this.members.has(name)) this.hasWhole = true;
    }
  }
}

/** Returns the header of the table (RFC 4180). */
export function csvHeader({ members, hasWhole }: OutputColumns): string {
  const names = [...members].map((name) => `output.${name}`);
  return csvRow([...FACTS, ...(hasWhole ? ['output'] : []), ...names]);
}

/** Returns a row of the table. Nested values are JSON. */
export function csvLine(line: ResultLine, { members, hasWhole }: OutputColumns): string {
  const { output } = line;
  const isFlat = isObject(output) && Object.keys(output).every((name) => members.has(name));
  return csvRow([
    ...FACTS.map((name) => line[name]),
    ...(hasWhole ? [isFlat ? undefined : output] : []),
    ...[...members].map((name) => (isObject(output) && Object.hasOwn(output, name) ? output[name] : undefined)),
  ]);
}

function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return plainNumber(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Spreadsheets run text that starts with these characters as a formula.
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Returns a plain decimal, because spreadsheets read 1e-7 in different ways. */
function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(12).replace(/\.?0+$/, '') : text;
}

/** Result of a row. Times are in ms. */
export interface RowResult {
  readonly row: number;
  /** ID of the job. Omitted if the platform refused the request. */
  readonly id?: string;
  readonly status: string;
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
  readonly workerId?: string | undefined;
  readonly output?: unknown;
  readonly error?: string | undefined;
}

/** Returns a result as a line. Output that is nested too deeply for JSON is replaced by an error. */
export function resultText({ row, id, status, delayTime, executionTime, workerId, output, error }: RowResult): string {
  const facts = { row, id, status, delayTime, executionTime, workerId };
  try {
    return `${JSON.stringify({ ...facts, output, error })}\n`;
  } catch {
    return `${JSON.stringify({ ...facts, error: l10n.t('the output is nested too deeply') })}\n`;
  }
}
