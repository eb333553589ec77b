import { withoutControls } from './shownText.ts';

const MAX_LINES = 200;
const LONGEST_LINE = 2_000;
const INDENT = '    ';

/**
 * Makes text safe for a log. Lines after the first are indented, so they cannot look like separate entries. Lines over 2,000 characters
 * are cut, and lines after the first 200 are removed; "…" marks each cut.
 */
export function logText(text: string): string {
  const most = MAX_LINES * LONGEST_LINE;
  const lines = withoutControls(text.slice(0, most)).split(/\r\n|[\n\r\v\f\u2028\u2029]/);
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  if (lines.length > MAX_LINES || text.length > most) shown.push('…');
  return shown.join(`\n${INDENT}`);
}
