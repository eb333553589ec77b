import * as l10n from '@vscode/l10n';
import { foreign } from '../../../../text/shownText.ts';
import type { ReadableLog } from '../../archive/readableLog.ts';
import { LineText, type TextLine } from '../../model/lineText.ts';
import { LogClock, type TimestampMode } from '../../model/logClock.ts';
import type { ReadLogLine } from '../../model/readLogLine.ts';
import { workerTags, type WorkerTag } from '../../model/workerTag.ts';
import { workerWords, type LogSubject } from '../../model/logSubject.ts';
import { pageWords, type PageAddress } from './pageAddress.ts';

/** A line of one of several logs, ready to be shown. */
export interface ShownLine {
  /** Index of the log. */
  readonly log: number;
  readonly entry: { readonly at: number };
  readonly read: ReadLogLine;
}

/** Lines of a log that one document shows. */
export interface ShownPage {
  readonly lines: readonly ShownLine[];
  /** Number of lines before this document. */
  readonly before: number;
  /** Number of lines of all logs. */
  readonly total: number;
  /** Whether new lines are added to this document. */
  readonly isNewest: boolean;
}

/** How the lines of a log are written. */
export interface LineFormat {
  readonly timestamps: TimestampMode;
  /** Time zone of local times. Default: that of the machine. */
  readonly timeZone?: string | undefined;
}

export interface PageContext extends LineFormat {
  readonly subject: LogSubject;
  readonly logs: readonly Pick<ReadableLog, 'worker' | 'removed' | 'isComplete'>[];
}

/** Place of a line of the log in the text of a page. */
interface LinePlace {
  /** Row of its beginning, from 0. */
  readonly row: number;
  /** Number of characters before the text of the line: its time and its worker. */
  readonly lead: number;
  /** Number of characters before the text of each continuation line. */
  readonly indent: number;
}

/** The text of a page, and the places of the log's lines in it. */
export interface PageText {
  readonly text: string;
  /** Number of rows of the text, including the empty row after its last line break. */
  readonly rows: number;
  /** Places of the page's lines, in their order. */
  readonly places: readonly LinePlace[];
}

/** Writes the text of a page. @param onLine receives each line as it is written, with its colors */
export function writePage(page: ShownPage, context: PageContext, onLine?: (line: TextLine) => void): PageText {
  const heading = headingOf(page, context);
  const texts = heading.map((row) => `${row}\n`);
  const places: LinePlace[] = [];
  let row = heading.length;
  const write = lineWriter(context.logs, context);
  for (const shown of page.lines) {
    const line = write(shown);
    const { text } = line;
    const body = shown.read.text;
    const rows = breaksIn(text);
    const own = breaksIn(body) + 1;
    // A date precedes the first line of each day.
    row += rows - own;
    places.push({ row, ...leadsOf(text, body, rows - own) });
    row += own;
    texts.push(text);
    onLine?.(line);
  }
  return { text: texts.join(''), rows: row + 1, places };
}

/** Writes the text of a page that does not exist, because the log has changed since its address was created. */
export function missingPage({ subject, page, part }: PageAddress, pageCount: number): PageText {
  const name = `${safeName(subject.endpointName)} / ${safeName(workerWords(subject))}`;
  const why =
    page < pageCount
      ? l10n.t('This part of the page no longer exists.')
      : pageCount === 1
        ? l10n.t('The log has 1 page now.')
        : l10n.t`The log has ${grouped(pageCount)} pages now.`;
  const text = l10n.t`${name} · ${pageWords({ page, part })} no longer exists\n${why} Select “Last” above for its newest lines.\n`;
  return { text, rows: 3, places: [] };
}

/** Returns a function that writes lines in turn, with their times. Lines of several logs also have the tags of their workers. */
export function lineWriter(
  logs: readonly Pick<ReadableLog, 'worker'>[],
  { timestamps, timeZone }: LineFormat,
): (line: ShownLine) => TextLine {
  const tags = tagsOf(logs);
  const text = new LineText({ timestamps, timeZone });
  return ({ log, entry, read }) => text.line(read, entry.at, tags[log]);
}

/** Returns the tag of each log, or no tags for one log. */
export function tagsOf(logs: readonly Pick<ReadableLog, 'worker'>[]): readonly (WorkerTag | undefined)[] {
  if (logs.length < 2) return [];
  const ids = logs.map(({ worker }) => worker.workerId);
  const tags = workerTags(ids);
  return ids.map((id) => tags.get(id));
}

/** Returns the row and the column of a character of a line's text. */
export function positionOf(
  { row, lead, indent }: LinePlace,
  { text }: ReadLogLine,
  offset: number,
): [row: number, column: number] {
  const before = text.slice(0, offset);
  const lineBreak = before.lastIndexOf('\n');
  const breaks = breaksIn(before);
  return [row + breaks, (breaks === 0 ? lead : indent) + offset - lineBreak - 1];
}

/** Returns the index of the line that is shown in a row, or of the first line for the rows before it. Returns undefined without lines. */
export function lineInRow({ places }: PageText, row: number): number | undefined {
  const after = places.findIndex((place) => place.row > row);
  if (places.length === 0) return undefined;
  return after < 0 ? places.length - 1 : Math.max(after - 1, 0);
}

/**
 * Returns the rows before the lines. In the newest page, they stay the same when lines are added: if only the end of a document changes,
 * the editor keeps its cursor and its folds.
 */
function headingOf({ lines, before, total, isNewest }: ShownPage, context: PageContext): string[] {
  const { subject, logs } = context;
  const name = `${safeName(subject.endpointName)} / ${safeName(workerWords(subject))}`;
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return [l10n.t`${name} · no lines`, ...notes(logs), whyEmpty(logs)];
  const start = grouped(before + 1);
  const range = isNewest
    ? l10n.t`lines from ${start} · since ${timeRange(first.entry.at, first.entry.at, context)}`
    : l10n.t`lines ${start} to ${grouped(before + lines.length)} of ${grouped(total)} · ${timeRange(first.entry.at, last.entry.at, context)}`;
  return [`${name} · ${range}`, ...(before === 0 ? notes(logs) : [])];
}

function notes(logs: PageContext['logs']): string[] {
  const removed = logs.reduce((sum, log) => sum + log.removed, 0);
  return removed === 0
    ? []
    : [
        removed === 1
          ? l10n.t('1 earlier line was removed because of the size limit of stored logs.')
          : l10n.t`${grouped(removed)} earlier lines were removed because of the size limit of stored logs.`,
      ];
}

function whyEmpty(logs: PageContext['logs']): string {
  return logs.length > 0 && logs.every(({ isComplete }) => isComplete)
    ? l10n.t('The workers have not written any lines yet. New lines appear here.')
    : l10n.t('This log is not on this machine yet. The platform may have its lines.');
}

function timeRange(from: number, to: number, { timestamps, timeZone }: LineFormat): string {
  const clock = new LogClock(timestamps === 'utc' ? 'UTC' : timeZone);
  const [start, end] = [clock.read(from), clock.read(to)];
  if (!start || !end) return l10n.t('an unknown time');
  const seconds = (time: string) => time.slice(0, 8);
  const until = start.day === end.day ? seconds(end.time) : `${end.day} ${seconds(end.time)}`;
  const zone = timestamps === 'utc' ? l10n.t(' UTC') : '';
  return `${start.day} ${seconds(start.time)}${from === to ? '' : l10n.t` to ${until}`}${zone}`;
}

/** Maximum length of a name in the heading, in UTF-16 code units. */
const LONGEST_NAME = 100;

function safeName(name: string): string {
  return foreign(name, LONGEST_NAME).text;
}

/** Writes a number with separators, such as `20,001`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** Returns a number of lines in words, such as `20,001 lines`. */
export function lineCount(lines: number): string {
  return lines === 1 ? l10n.t('1 line') : l10n.t`${grouped(lines)} lines`;
}

function breaksIn(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

/** @param skipped number of rows of the text before the line */
function leadsOf(text: string, body: string, skipped: number): { lead: number; indent: number } {
  let start = 0;
  for (let row = 0; row < skipped; row++) start = text.indexOf('\n', start) + 1;
  const lengthAt = (whole: string, from: number): number => {
    const end = whole.indexOf('\n', from);
    return (end < 0 ? whole.length : end) - from;
  };
  const lead = lengthAt(text, start) - lengthAt(body, 0);
  const next = body.indexOf('\n');
  if (next < 0) return { lead, indent: 0 };
  return { lead, indent: lengthAt(text, text.indexOf('\n', start) + 1) - lengthAt(body, next + 1) };
}
