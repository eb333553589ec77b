import { EXPLAIN_LINK } from '../model/trouble.ts';

/** A line that shows a trouble, as `LineText` writes it. The time and the tag of the worker can be missing. */
const TROUBLE_LINE = new RegExp(`^\\s*(?:[\\d:.]{12}Z? )?(?:[\\w-]+ │ )?\\[trouble\\] .*\\b${EXPLAIN_LINK}$`);

/** Returns the offset of the words that link to the explanation of the endpoint, or undefined for other lines. */
export function troubleLinkStart(line: string): number | undefined {
  // Most lines do not end with the words.
  if (!line.endsWith(EXPLAIN_LINK) || !TROUBLE_LINE.test(line)) return undefined;
  return line.length - EXPLAIN_LINK.length;
}
