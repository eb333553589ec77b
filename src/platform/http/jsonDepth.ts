/**
 * Maximum nesting of JSON values. Serialization is recursive. A stack overflow would fail the whole transaction that stores the value.
 */
export const MAX_DEPTH = 1_000;

/** @param json a text that is valid JSON */
export function isTooDeep(json: string, levels = MAX_DEPTH): boolean {
  // Each level has two brackets.
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

/** Returns the position of the quotation mark that closes the string at `start`. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
