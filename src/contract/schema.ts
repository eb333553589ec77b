import * as z from 'zod';
import { MAX_CUDA_LENGTH, MAX_INTEGER, MAX_LISTED } from './bounds.ts';

/**
 * An enum of an answer: known values are typed, unknown ones (a newer service) are carried as they are.
 * What we send uses `z.enum` instead.
 */
export function openEnum<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.string().meta({ examples: [...values] }) as unknown as z.ZodType<Values[number] | (string & {}), string>;
}

/** A CUDA version that we send. Versions are compared with `compareCudaVersions`. */
export const CudaVersion = z
  .string()
  .regex(/^\d+\.\d+$/, 'must be a CUDA version such as 12.4')
  .max(MAX_CUDA_LENGTH);

export function allDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/*
 * Parameters of a query string are texts on the wire. These schemas take the value or its text and give the value, so that the
 * client sends and the local platform reads with one schema.
 */

/** An integer in a query string: sent as a number or its digits, read as a number. */
export function integerParameter(range: { min: number; max: number }) {
  const bounded = z.int().min(range.min).max(range.max);
  return z
    .union([z.number(), z.string().regex(/^-?\d{1,300}$/, 'must be an integer')])
    .transform(Number)
    .pipe(bounded);
}

/** An integer in a query string without an upper bound. Larger values become the largest integer that JSON represents exactly. */
export function countParameter({ min }: { min: number }) {
  return z
    .union([z.number(), z.string().regex(/^-?\d+$/, 'must be an integer')])
    .transform((count) => Math.min(Number(count), MAX_INTEGER))
    .pipe(z.int().min(min).max(MAX_INTEGER));
}

/** A flag in a query string: `true` or `false`. */
export function booleanParameter() {
  return z
    .union([z.boolean(), z.enum(['true', 'false'])])
    .transform((value) => value === true || value === 'true')
    .pipe(z.boolean());
}

/** A list in a query string: sent as a list or separated by commas, read as a list. The empty text is the empty list. */
export function listParameter<Item extends z.ZodType<string, string>>(item: Item, { max = MAX_LISTED } = {}) {
  return z
    .union([z.array(z.string()), z.string()])
    .transform((value) => (typeof value === 'string' ? value.split(',').filter((entry) => entry !== '') : value))
    .pipe(z.array(item).max(max));
}
