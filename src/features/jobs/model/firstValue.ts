import { oneLine } from '../../../account/jobWords.ts';
import { isSecret } from '../../../text/secretText.ts';

/** Maximum length of the value, in UTF-16 code units. */
const LONGEST = 40;
/** Maximum number of nested values that are examined. */
const MAX_VALUES = 100;

/**
 * Returns the first value of a job's input in one short line, which distinguishes jobs. Skips secrets, empty texts, null, and encoded files.
 * Undefined if there is no other value.
 */
export function firstValue(input: unknown): string | undefined {
  let left = MAX_VALUES;
  const find = (name: string, value: unknown): string | undefined => {
    if (left-- <= 0) return undefined;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value === 'string')
      return isEncoded(value) || isSecret(name, value) ? undefined : oneLine(value, LONGEST) || undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [member, content] of Object.entries(value)) {
      const found = find(Array.isArray(value) ? name : member, content);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find('', input);
}

/** Returns whether a text is a data URL, or a long word such as Base64. */
function isEncoded(text: string): boolean {
  return /^data:/i.test(text) || /^[\w+/=-]{200}/.test(text);
}
