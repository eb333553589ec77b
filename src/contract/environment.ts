import * as z from 'zod';
import { ruleIssue, schemaRule } from './schemaRule.ts';

/*
 * Environment variables. `z.record` drops a member named `__proto__`, which is a valid variable name. These schemas check the object
 * and return it unchanged.
 */

/** Variable names with their values. JSON.parse and spread syntax make every name, even `__proto__`, an own property. */
export type Environment = Record<string, string>;

const withoutNul = (text: string): boolean => !text.includes('\0');

const JSON_SCHEMA = { type: 'object', additionalProperties: { type: 'string' } } as const;

function environment(isAllowed: (text: string) => boolean): z.ZodType<Environment, Environment> {
  return z
    .unknown()
    .superRefine((value, context) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        context.addIssue({ code: 'invalid_type', expected: 'object', input: value });
        return;
      }
      for (const [name, text] of Object.entries(value as Record<string, unknown>)) {
        if (!isAllowed(name)) context.addIssue(ruleIssue('nulCharacter', { part: 'name' }));
        if (typeof text !== 'string') {
          context.addIssue({ code: 'invalid_type', expected: 'string', input: text, path: [name] });
        } else if (!isAllowed(text)) {
          context.addIssue({ ...ruleIssue('nulCharacter', { part: 'value' }), path: [name] });
        }
      }
    })
    .meta(JSON_SCHEMA) as unknown as z.ZodType<Environment, Environment>;
}

/** Environment in a response. */
export const Environment = environment(() => true);

/** Environment in a request. Processes cannot receive strings that contain NUL. */
export const EnvironmentRequest = environment(withoutNul);

/** Text that becomes a command argument or a file name. */
export const ProcessText = z.string().refine(withoutNul, schemaRule('nulCharacter', { part: 'value' }));

/** Returns the value of a variable, or undefined if it is not set. Ignores inherited properties. */
export function variable(environment: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}
