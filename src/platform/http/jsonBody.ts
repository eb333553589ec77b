import type * as z from 'zod';
import { checkShape } from '../../contract/shapeCheck.ts';
import { violation, type Violation } from '../../contract/violation.ts';
import { isTooDeep, MAX_DEPTH } from './jsonDepth.ts';

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
