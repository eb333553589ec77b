import * as z from 'zod';
import { withoutControls } from '../../../text/shownText.ts';
import { resultText } from '../results/resultText.ts';

/** A definition in `tasks.json`. The editor adds members of its own, which are ignored. */
const Definition = z.discriminatedUnion('task', [
  z.object({ task: z.literal('start platform') }),
  z.object({
    task: z.literal('run job'),
    /** Path of a job file, relative to the workspace folder. */
    file: z.string().min(1),
    /** Name of the connection that must be the current one. */
    connection: z.string().min(1).optional(),
  }),
]);
export type TaskDefinition = z.infer<typeof Definition>;

/** Returns a valid definition, or undefined. */
export function parseTaskDefinition(value: unknown): TaskDefinition | undefined {
  return Definition.safeParse(value).data;
}

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
