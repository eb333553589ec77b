import * as z from 'zod';

/**
 * An enum of an answer: known values are typed, unknown ones (a newer service) are carried as they are.
 * What we send uses `z.enum` instead.
 */
export function openEnum<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.string().meta({ examples: [...values] }) as unknown as z.ZodType<Values[number] | (string & {}), string>;
}

/** RFC 3339 date-time with `Z` or an offset. */
export const DateTime = z.iso.datetime({ offset: true }).meta({ description: 'RFC 3339 date-time' });

/** An integer in a query string: sent as a number or its digits, read as a number. */
export function integerParameter(range: { min: number; max?: number }) {
  const bounded = z
    .int()
    .min(range.min)
    .max(range.max ?? Number.MAX_SAFE_INTEGER);
  return z
    .union([z.number(), z.string().regex(/^-?\d{1,15}$/, 'must be an integer')])
    .transform(Number)
    .pipe(bounded);
}
