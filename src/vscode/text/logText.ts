import { withoutControls } from './shownText.ts';

const MOST_LINES = 200;
const LONGEST_LINE = 2_000;
const INDENT = '    ';

/**
 * Text for a log. Each line after the first is indented, so that none of them looks like an entry of its own. What is too long is cut, and
 * ends with "…".
 */
export function logText(text: string): string {
  const most = MOST_LINES * LONGEST_LINE;
  const lines = withoutControls(text.slice(0, most)).split(/\r\n|[\n\r\v\f\u2028\u2029]/);
  const shown = lines
    .slice(0, MOST_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  if (lines.length > MOST_LINES || text.length > most) shown.push('…');
  return shown.join(`\n${INDENT}`);
}
