import * as z from 'zod';
import { MAX_CUDA_LENGTH, MAX_INTEGER, MAX_LISTED } from './bounds.ts';
import { parseInstant } from './dateTime.ts';
import { fieldFacts } from './fieldFacts.ts';
import { schemaRule } from './schemaRule.ts';

/**
 * Enumeration in a response. Known values are typed, and unknown values of a newer service are kept. Requests use `z.enum` instead.
 */
export function openEnum<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.string().meta({ examples: [...values] }) as unknown as z.ZodType<Values[number] | (string & {}), string>;
}

/** RFC 3339 date-time with `Z` or an offset. */
export const DateTime = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, schemaRule('notADateTime', {}))
  .meta({ format: 'date-time', description: 'RFC 3339 date-time.' });

/** CUDA version in a request. `compareCudaVersions` compares versions. */
export const CudaVersion = z
  .string()
  .regex(/^\d+\.\d+$/, 'must be a CUDA version such as 12.4')
  .max(MAX_CUDA_LENGTH)
  .register(fieldFacts, { refersTo: 'cudaVersion' });

export function allDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/*
 * Query parameters are strings on the wire. These schemas accept the value or its string form and return the value, so that the client
 * and the local platform share one schema.
 */

/** Integer in a query string. Accepts a number or its digits and returns a number. */
export function integerParameter(range: { min: number; max: number }) {
  const bounded = z.int().min(range.min).max(range.max);
  return z
    .union([z.number(), z.string().regex(/^-?\d{1,300}$/, 'must be an integer')])
    .transform(Number)
    .pipe(bounded);
}

/** Integer in a query string without an upper bound. Values above `MAX_INTEGER` become `MAX_INTEGER`. */
export function countParameter({ min }: { min: number }) {
  return z
    .union([z.number(), z.string().regex(/^-?\d+$/, 'must be an integer')])
    .transform((count) => Math.min(Number(count), MAX_INTEGER))
    .pipe(z.int().min(min).max(MAX_INTEGER));
}

/** Boolean in a query string: `true` or `false`. */
export function booleanParameter() {
  return z
    .union([z.boolean(), z.enum(['true', 'false'])])
    .transform((value) => value === true || value === 'true')
    .pipe(z.boolean());
}

/** List in a query string. Accepts a list or comma-separated text and returns a list. The empty string is the empty list. */
export function listParameter<Item extends z.ZodType<string, string>>(item: Item, { max = MAX_LISTED } = {}) {
  return z
    .union([z.array(z.string()), z.string()])
    .transform((value) => (typeof value === 'string' ? value.split(',').filter((entry) => entry !== '') : value))
    .pipe(z.array(item).max(max));
}
