import { FULL_LOG_LINK } from '../model/followState.ts';
import { EXPLAIN_LINK } from '../model/trouble.ts';

/* Links in the lines that the extension adds to a log. */

export type NoteLinkKind = 'explain' | 'fullLog';

export interface NoteLink {
  readonly kind: NoteLinkKind;
  /** Offsets of the linked words in the line. */
  readonly start: number;
  readonly end: number;
}

/** Beginning of such a line, as `LineText` writes it. The time and the tag of the worker can be missing. */
const BEGINNING = '^\\s*(?:[\\d:.]{12}Z? )?(?:[\\w-]+ │ )?';
/** A line about a trouble ends with the words of its link. */
const TROUBLE = new RegExp(`${BEGINNING}\\[trouble\\] .*\\b${EXPLAIN_LINK}$`);
const SHOWS_ALL = `${FULL_LOG_LINK} shows all lines`;
const MISSING_LINES = new RegExp(`${BEGINNING}\\[following\\] .*; ${SHOWS_ALL}$`);

/** Returns the link in a line that the extension has added, or undefined for other lines. */
export function noteLinkIn(line: string): NoteLink | undefined {
  // Most lines do not end with the words.
  if (line.endsWith(EXPLAIN_LINK) && TROUBLE.test(line)) {
    return { kind: 'explain', start: line.length - EXPLAIN_LINK.length, end: line.length };
  }
  if (line.endsWith(SHOWS_ALL) && MISSING_LINES.test(line)) {
    const start = line.length - SHOWS_ALL.length;
    return { kind: 'fullLog', start, end: start + FULL_LOG_LINK.length };
  }
  return undefined;
}
