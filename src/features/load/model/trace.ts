import * as l10n from '@vscode/l10n';
import type { LoadProfile } from './arrivals.ts';
import { MAX_OFFSETS, readReport } from './report.ts';

/** Members and columns that can contain the time of an arrival. */
const NAMES: readonly string[] = ['at', 'time', 'timestamp', 'submittedAt'];
/** Members and columns that can contain the execution time of an arrival, in ms. */
const EXECUTION_NAMES: readonly string[] = ['executionTime', 'executionMs'];

export interface Trace {
  readonly profile: LoadProfile;
  /** Execution time of each arrival, in ms. Undefined if one of them has none. */
  readonly executions?: readonly number[] | undefined;
}

/**
 * Reads recorded arrivals: the report of a load test, or a list of times, each on its own line. A time is a number of ms, or an RFC 3339
 * date-time. It is the line itself, a member of a JSON object, or a column of a CSV file, which the header names. The first arrival is at
 * the start of the load test.
 *
 * @returns the problem with its remedy, which can follow a colon, of a text that is neither
 */
export function readTrace(text: string): Trace | { readonly problem: string } {
  const report = text.trimStart().startsWith('{') ? readReport(text) : undefined;
  if (report) return { profile: report.profile };
  const arrivals: { readonly time: number; readonly execution: number | undefined }[] = [];
  let column = 0;
  let executionColumn = -1;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const cells = line.startsWith('{') ? undefined : line.split(',').map(unquoted);
    const named = arrivals.length === 0 && cells ? cells.findIndex((cell) => NAMES.includes(cell)) : -1;
    if (named >= 0) {
      column = named;
      executionColumn = cells?.findIndex((cell) => EXECUTION_NAMES.includes(cell)) ?? -1;
      continue;
    }
    const time = timeOf(cells ? cells[column] : memberOf(line, NAMES));
    if (time === undefined)
      return {
        problem: l10n.t`line ${index + 1} has no time of an arrival; write a number of milliseconds or a date-time on each line`,
      };
    if (arrivals.length === MAX_OFFSETS)
      return { problem: l10n.t`it has more than ${MAX_OFFSETS} arrivals; use a part of them` };
    arrivals.push({ time, execution: durationOf(cells ? cells[executionColumn] : memberOf(line, EXECUTION_NAMES)) });
  }
  arrivals.sort((a, b) => a.time - b.time);
  const [first] = arrivals;
  if (first === undefined) return { problem: l10n.t('it has no arrivals; record some, or give a rate') };
  const executions = arrivals.flatMap(({ execution }) => execution ?? []);
  return {
    profile: { kind: 'trace', offsets: arrivals.map(({ time }) => time - first.time) },
    ...(executions.length === arrivals.length && { executions }),
  };
}

function durationOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

function unquoted(cell: string): string {
  const text = cell.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function memberOf(line: string, names: readonly string[]): unknown {
  try {
    const value = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return names.map((name) => value[name]).find((member) => member !== undefined);
  } catch {
    return undefined;
  }
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value === '') return undefined;
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}
