const INDENT = '  ';
/** Maximum length of an indented text, in UTF-16 code units. Indentation can make a text a thousand times larger. */
const MAX_LENGTH = 8 * 1_048_576;

/**
 * Indents a JSON text. Keeps numbers and strings as they are written, so that long numbers stay exact. Returns undefined if the text is not
 * JSON, or if the result would be too long.
 */
export function prettyJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  const line = (): void => {
    add('\n');
    length += INDENT.length * depth;
    if (length <= MAX_LENGTH) parts.push(INDENT.repeat(depth));
  };
  // A string, a run of other characters of a value, a bracket, or a sign.
  const tokens = /"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/g;
  let before = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '}' || token === ']') {
      depth--;
      if (before !== '{' && before !== '[') line();
    } else if (before === '{' || before === '[') line();
    if (token === '{' || token === '[') depth++;
    add(token === ':' ? ': ' : token);
    if (token === ',') line();
    if (length > MAX_LENGTH) return undefined;
    before = token;
  }
  return parts.join('');
}
