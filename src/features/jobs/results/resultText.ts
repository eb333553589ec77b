import type { Job } from '../../../contract/job.ts';
import { dataSize } from '../../../text/quantities.ts';
import { jsonPieces, type PlacedString, pathOf } from './jsonPieces.ts';

/** Maximum length of a shown result, in UTF-16 code units. */
export const MAX_SHOWN_CHARACTERS = 5 * 1024 * 1024;
/** Maximum number of lines of a shown result. The editor folds no document with more than 300,000 lines. */
export const MAX_SHOWN_LINES = 200_000;
/** Longest string that is shown completely, in UTF-16 code units. A string is one line, and the editor shows only the beginning of a long one. */
const MAX_STRING = 100_000;
/** Longest data URL that is shown completely, in UTF-16 code units. */
const MAX_DATA_URL = 2_000;
const SHOWN_OF_DATA_URL = 60;
const MAX_DEPTH = 2_000;
/** Maximum number of marked strings. Each has a path with all levels. */
export const MAX_MARKS = 50;
/** Room for the end of a text that is cut. */
const END_CHARACTERS = 64 * 1024;

const INDENT = 2;
/** Indentation of the lines inside a member of the result, such as `output`. */
const MEMBER_INDENT = ' '.repeat(2 * INDENT);

/** Text of a result, which is always valid JSON. */
export interface ResultText {
  readonly text: string;
  /** Whether the text lacks a part of the result, apart from shortened data URLs. */
  readonly isCut: boolean;
  /** Whether the text contains shortened data URLs. */
  readonly isShortened: boolean;
  /** Lines of the first MAX_MARKS strings in the output that `isMarked` returned true for, by their path in the output as JSON. */
  readonly linesOf: ReadonlyMap<string, number>;
}

/** Returns the text that shows a job or a reason why it cannot be shown, with line breaks, so that the editor can fold it. */
export function resultText(content: object, isMarked: (string: PlacedString) => boolean = () => false): ResultText {
  // The editor would load a schema from this address.
  const { $schema: _, ...members } = content as Readonly<Record<string, unknown>>;
  const pieces: string[] = [];
  const linesOf = new Map<string, number>();
  let length = 0;
  let lines = 1;
  let isCut = false;
  let isShortened = false;
  const isFull = () => {
    const full = length > MAX_SHOWN_CHARACTERS - END_CHARACTERS || lines >= MAX_SHOWN_LINES;
    isCut ||= full;
    return full;
  };
  const textOf = (string: PlacedString) => {
    const { value, place, member, line } = string;
    if (member === 'output' && linesOf.size < MAX_MARKS && isMarked(string))
      linesOf.set(JSON.stringify(pathOf(place).slice(1)), line);
    if (isLongDataUrl(value)) {
      isShortened = true;
      return JSON.stringify(`${value.slice(0, SHOWN_OF_DATA_URL)}… (${dataSize(dataUrlBytes(value))})`);
    }
    const room = Math.min(MAX_SHOWN_CHARACTERS - END_CHARACTERS - length, MAX_STRING);
    if (value.length <= room) return JSON.stringify(value);
    isCut = true;
    return JSON.stringify(
      `${value.slice(0, Math.max(room, 0)).toWellFormed()}… (${dataSize(Buffer.byteLength(value))})`,
    );
  };
  for (const piece of jsonPieces(members, { indent: INDENT, textOf, isFull, maxDepth: MAX_DEPTH })) {
    // A piece of JSON contains at most one line break, because JSON escapes those of strings.
    if (piece.includes('\n')) lines++;
    if (piece === '"…"') isCut = true;
    length += piece.length;
    pieces.push(piece);
  }
  return { text: pieces.join(''), isCut, isShortened, linesOf };
}

/** Returns the first and the last line, from 0, of each object and array in a member of the result, without its closing bracket. */
export function deeperLines(text: string): (readonly [first: number, last: number])[] {
  const found: (readonly [number, number])[] = [];
  let first: number | undefined;
  text.split('\n').forEach((line, index) => {
    const start = line[MEMBER_INDENT.length];
    if (!line.startsWith(MEMBER_INDENT) || start === ' ') return;
    if (line.endsWith('[') || line.endsWith('{')) first = index;
    else if (first !== undefined && (start === ']' || start === '}')) found.push([first, index - 1]);
  });
  return found;
}

function isLongDataUrl(value: string): boolean {
  return value.length > MAX_DATA_URL && /^data:[\w.+/-]{0,100}(?:;[^,]{0,100})?;base64,/i.test(value.slice(0, 250));
}

function dataUrlBytes(value: string): number {
  return Buffer.byteLength(value.slice(value.indexOf(',') + 1), 'base64');
}

/** Content of the document of a job that cannot be read, with what this editor knows about it. */
export function unavailableContent(known: Pick<Job, 'id'> & Partial<Job>, reason: string): object {
  const { id, status, delayTime, executionTime, workerId } = known;
  return { id, status, delayTime, executionTime, workerId, unavailable: reason };
}
