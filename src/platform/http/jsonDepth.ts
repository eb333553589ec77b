/**
 * Levels of lists and objects that JSON may have here: what writes JSON calls itself for each, and where it runs out of stack, all that is
 * stored in the same transaction fails with it.
 */
export const MAX_DEPTH = 1_000;

/** @param json a text that is valid JSON */
export function isTooDeep(json: string, levels = MAX_DEPTH): boolean {
  // Each level has its two brackets.
  if (json.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') at = endOfText(json, at);
    else if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    if (depth > levels) return true;
  }
  return false;
}

/** Where the quotation mark is that closes the one there. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
