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
const TROUBLE = new RegExp(`${BEGINNING}\\[trouble\\] `);
/** A line about missing lines contains the words of its link. Their place depends on the language. */
const FOLLOWING = new RegExp(`${BEGINNING}\\[following\\] `);

/** Returns the link in a line that the extension has added, or undefined for other lines. */
export function noteLinkIn(line: string): NoteLink | undefined {
  // Most lines do not contain the words.
  if (line.endsWith(EXPLAIN_LINK) && TROUBLE.test(line)) {
    return { kind: 'explain', start: line.length - EXPLAIN_LINK.length, end: line.length };
  }
  const start = line.lastIndexOf(FULL_LOG_LINK);
  if (start > 0 && FOLLOWING.test(line)) {
    return { kind: 'fullLog', start, end: start + FULL_LOG_LINK.length };
  }
  return undefined;
}
