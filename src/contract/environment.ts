import * as z from 'zod';

/*
 * Environment variables. zod's records leave out a member called `__proto__`, which is a name like any other: these schemas check the
 * object and hand it on as it is.
 */

/** Names with their values. JSON.parse and spreading make every name, `__proto__` too, an own member. */
export type Environment = Record<string, string>;

const NO_NUL = 'must not hold the character NUL';
const withoutNul = (text: string): boolean => !text.includes('\0');

const JSON_SCHEMA = { type: 'object', additionalProperties: { type: 'string' } } as const;

function environment(isAllowed: (text: string) => boolean): z.ZodType<Environment, Environment> {
  return z
    .unknown()
    .superRefine((value, context) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        context.addIssue({ code: 'invalid_type', expected: 'record', input: value });
        return;
      }
      for (const [name, text] of Object.entries(value as Record<string, unknown>)) {
        if (!isAllowed(name)) context.addIssue({ code: 'custom', message: `names ${NO_NUL}` });
        if (typeof text !== 'string') {
          context.addIssue({ code: 'invalid_type', expected: 'string', input: text, path: [name] });
        } else if (!isAllowed(text)) {
          context.addIssue({ code: 'custom', path: [name], message: NO_NUL });
        }
      }
    })
    .meta(JSON_SCHEMA) as unknown as z.ZodType<Environment, Environment>;
}

/** As it is answered. */
export const Environment = environment(() => true);

/** As it is sent: no process can be given a text with NUL in it. */
export const EnvironmentRequest = environment(withoutNul);

/** A text that becomes a word of a command or the name of a file. */
export const ProcessText = z.string().refine(withoutNul, NO_NUL);

/** The value of a variable; undefined when the environment has none, whatever objects inherit. */
export function variable(environment: Readonly<Environment>, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}
