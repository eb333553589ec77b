import type * as z from 'zod';
import { checkShape } from '../../contract/shapeCheck.ts';
import { violation, type Violation } from '../../contract/violation.ts';

export type ParsedBody = { readonly value: unknown } | { readonly violations: readonly Violation[] };

/** Parses a body. @param invalid status of an invalid body */
export function parseJson(text: string, invalid: Violation['status'] | undefined): ParsedBody {
  try {
    const value: unknown = JSON.parse(text);
    if (!isTooDeep(text)) return { value };
  } catch (error) {
    if (text.trim() === '') return { violations: [violation([], 'bodyMissing', {}, invalid)] };
    return { violations: [violation([], 'notJson', { message: (error as Error).message }, invalid)] };
  }
  return { violations: [violation([], 'tooDeep', { maximum: MAX_DEPTH }, invalid)] };
}

/** Parses a body that matches a schema. */
export function parseBody(text: string, schema: z.ZodType, invalid: Violation['status'] | undefined): ParsedBody {
  const parsed = parseJson(text, invalid);
  if ('violations' in parsed) return parsed;
  const { data, violations } = checkShape(schema, parsed.value, invalid);
  return violations.length > 0 ? { violations } : { value: data };
}

/**
 * Maximum nesting of JSON values. Serialization is recursive, and a stack overflow would fail the whole transaction that stores the value.
 */
export const MAX_DEPTH = 1_000;

/** @param json a text that is valid JSON */
export function isTooDeep(json: string, levels = MAX_DEPTH): boolean {
  // Each level has two brackets.
  if (json.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > levels) return true;
  }
  return false;
}

/** Returns the position of the quotation mark that closes the string at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
