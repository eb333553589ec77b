import { eastAsianWidth } from 'get-east-asian-width';
import { preciseDuration } from './quantities.ts';
import { oneLine, isolated } from './shownText.ts';

/* A waterfall of spans of time as text, in a monospaced font. */

/** What a span of time was spent on, which decides on its color. */
export type WaterfallTone = 'waiting' | 'starting' | 'working' | 'failing';

export interface WaterfallRow {
  readonly label: string;
  /** Number of spans that contain this one. */
  readonly depth: number;
  /** Start in ms since the epoch. */
  readonly start: number;
  /** End in ms since the epoch. Undefined while the span has not ended. */
  readonly end: number | undefined;
  readonly tone: WaterfallTone;
  /** Words after the bar, such as why an attempt failed. */
  readonly note?: string | undefined;
}

/** A line of a waterfall. The offsets are in UTF-16 code units of `text`, from 0, the ends exclusive. */
export interface WaterfallLine {
  readonly text: string;
  readonly labelStart: number;
  readonly labelEnd: number;
  readonly barStart: number;
  readonly barEnd: number;
  readonly tone: WaterfallTone;
}

export interface WaterfallOptions {
  /** Start and end of the bars, in ms since the epoch. A bar that starts earlier or has not ended fades out at that side. */
  readonly from: number;
  readonly to: number;
  /** Maximum number of columns of a line. A wide character has two. */
  readonly width: number;
}

const INDENT = 2;
const GAP = 2;
/** Smallest numbers of columns of labels, bars, and notes. A smaller width is exceeded. */
const LEAST = { label: 12, bar: 8, note: 8 };
const MAX_BAR = 40;
/** Maximum length of the examined part of a label or a note, in UTF-16 code units. */
const LONGEST = 1_000;

/** Blocks that fill a character from the left, by eighths. */
const LEFT = ' ▏▎▍▌▋▊▉█';
/** The side of a bar at which its span continues. */
const FADED = '░';

/** Draws spans, one on each line, in the order of the rows: the label, the duration, the bar, and the note. */
export function waterfallLines(rows: readonly WaterfallRow[], options: WaterfallOptions): readonly WaterfallLine[] {
  const { from, to, width } = options;
  const isLive = rows.some(({ end }) => end === undefined);
  const parts = rows.map((row) => ({
    row,
    label: ' '.repeat(INDENT * row.depth) + isolated(plain(row.label)),
    time: timeOf(row, to, isLive),
    note: row.note === undefined ? '' : isolated(plain(row.note)),
  }));
  const most = (column: (part: (typeof parts)[number]) => string) =>
    parts.reduce((widest, part) => Math.max(widest, columnsOf(column(part))), 0);
  const time = most((part) => part.time);
  const label = Math.max(
    Math.min(
      most((part) => part.label),
      Math.floor(width * 0.35),
    ),
    LEAST.label,
  );
  const rest = width - label - time - 2 * GAP;
  const wanted = most((part) => part.note);
  const notes = wanted === 0 ? 0 : Math.max(Math.min(wanted, Math.floor(rest / 2) - GAP), LEAST.note);
  const bar = Math.max(Math.min(rest - (notes > 0 ? notes + GAP : 0), MAX_BAR), LEAST.bar);
  const noteColumns = Math.max(width - label - bar - time - 3 * GAP, notes);
  return parts.map((part) => {
    const shownLabel = cutTo(part.label, label);
    const before = padded(shownLabel, label + GAP + time - columnsOf(part.time)) + part.time + ' '.repeat(GAP);
    const drawn = drawBar(part.row, { from, to, width: bar });
    const note = part.note === '' ? '' : ' '.repeat(bar - drawn.text.length + GAP) + cutTo(part.note, noteColumns);
    return {
      ...{ text: before + drawn.text + note, tone: part.row.tone },
      ...{ labelStart: shownLabel.length - shownLabel.trimStart().length, labelEnd: shownLabel.length },
      ...{ barStart: before.length + drawn.start, barEnd: before.length + drawn.text.length },
    };
  });
}

/** Returns the same lines without bars, because a screen reader would read each block. @param to the present, in ms since the epoch */
export function plainWaterfallLines(rows: readonly WaterfallRow[], to: number): readonly WaterfallLine[] {
  return rows.map((row) => {
    const [indent, label, time] = [' '.repeat(INDENT * row.depth), isolated(plain(row.label)), timeOf(row, to, false)];
    const words = `${label}: ${time}`;
    const text = indent + (row.note === undefined ? words : `${words} · ${isolated(plain(row.note))}`);
    const at = { labelStart: indent.length, labelEnd: text.length, barStart: text.length, barEnd: text.length };
    return { text, tone: row.tone, ...at };
  });
}

/** @param isAligned whether an unfinished duration is below or above, which has one more character */
function timeOf({ start, end }: WaterfallRow, to: number, isAligned: boolean): string {
  const time = preciseDuration(Math.max((end ?? to) - start, 0));
  return end === undefined ? `${time}…` : isAligned ? `${time} ` : time;
}

interface Bar {
  /** Spaces and the bar. */
  readonly text: string;
  /** Offset of the bar. */
  readonly start: number;
}

/** Draws at least one visible mark, which never leaves the width. */
function drawBar({ start, end }: WaterfallRow, { from, to, width }: WaterfallOptions): Bar {
  const scale = to > from ? width / (to - from) : 0;
  const place = (at: number) => Math.min(Math.max((at - from) * scale, 0), width);
  const [left, right] = [place(start), Math.max(place(end ?? to), place(start))];
  const first = Math.min(Math.floor(left), width - 1);
  const last = end === undefined ? width - 1 : Math.max(Math.min(Math.ceil(right), width) - 1, first);
  const cells = Array.from({ length: last - first + 1 }, (_, index) => {
    const cell = first + index;
    return block(Math.max(left - cell, 0), Math.min(right - cell, 1));
  });
  if (start < from) cells[0] = FADED;
  if (end === undefined) cells[cells.length - 1] = FADED;
  return { text: ' '.repeat(first) + cells.join(''), start: first };
}

/** Returns the block that fills a character from one place to another, both from 0 to 1. Blocks at the right have three sizes only. */
function block(left: number, right: number): string {
  const size = right - left;
  const isAtRight = right >= 1 ? left > 0 : left > 1 - right && left >= 0.25;
  if (isAtRight) return size >= 0.75 ? '█' : size >= 0.3 ? '▐' : '▕';
  return LEFT.charAt(Math.min(Math.max(Math.round(size * 8), 1), 8));
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the number of columns of a text on one line. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += columnsOfGrapheme(segment);
  return columns;
}

const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Mark}]/u;

function columnsOfGrapheme(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return grapheme.includes('\ufe0f') ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - columnsOf(text), 0));
}

/** Cuts a text to a number of columns, with "…" at its end. */
function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let [kept, used] = ['', 0];
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOfGrapheme(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…${kept.includes('\u2068') ? '\u2069' : ''}`;
}

function plain(text: string): string {
  return oneLine(text.slice(0, LONGEST)).trim();
}
