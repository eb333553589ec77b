import type { Job } from '../../contract/job.ts';

/** Maximum length of an indented text, in UTF-16 code units. Indentation can make a text a thousand times larger. */
const LONGEST_LAYOUT = 4 * 1024 * 1024;
const INDENT = 2;

/** Returns a job as JSON for its document. The JSON is indented unless that makes the text too long. */
export function jobText(content: object): string {
  // The editor would load a schema from this address.
  const { $schema: _, ...shown } = content as Readonly<Record<string, unknown>>;
  try {
    const text = JSON.stringify(shown);
    return isLaidOut(text) ? JSON.stringify(shown, null, INDENT) : text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // A worker can return a value that is nested too deeply for `JSON.stringify`.
    const { id, status } = content as Partial<Job>;
    return JSON.stringify({ id, status, unavailable: 'The job is nested too deeply to be shown.' }, null, INDENT);
  }
}

/** Returns whether a JSON text is short enough to indent. Each bracket and comma outside of quotes starts a line. */
function isLaidOut(text: string): boolean {
  let length = text.length;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length && length <= LONGEST_LAYOUT; at++) {
    const sign = text.charAt(at);
    if (sign === '"') quoted = !quoted;
    else if (quoted) at += sign === '\\' ? 1 : 0;
    else if ('[]{},'.includes(sign)) {
      if (sign === '[' || sign === '{') depth++;
      else if (sign !== ',') depth--;
      length += 1 + depth * INDENT;
    }
  }
  return length <= LONGEST_LAYOUT;
}
