import { resultText } from '../../results/resultText.ts';
import { withoutControls } from '../../../../text/shownText.ts';

/** Maximum length of one text in a terminal, in UTF-16 code units. The document of the job contains the rest. */
const LONGEST = 256 * 1024;

/** Returns foreign text for a terminal, which then cannot move the cursor, change colors, or write to the clipboard. */
export function terminalLines(text: string): string {
  const clean = withoutControls(text);
  const shown = clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST - 1).toWellFormed()}…`;
  return `${shown.replaceAll(/\r\n|\r|\n/g, '\r\n').trimEnd()}\r\n`;
}

/** Returns the output of a job as text: a string as it is, and other values as JSON with shortened data URLs. */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  return typeof output === 'object' && output !== null ? resultText(output).text : String(output);
}
