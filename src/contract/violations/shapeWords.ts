import type * as z from 'zod';
import { phrase, verbatim, words, type Words } from '../words.ts';

/*
 * Violations that a JSON Schema of the value can express too. Each code is a function from its data to its message.
 */

type Values = readonly z.core.util.Primitive[];

/** Type of the bounded value, such as `string`, `array`, or `int`. `inclusive` is true if the bound itself is allowed. */
interface Bound {
  readonly origin: string;
  readonly inclusive: boolean;
}

export const shapeWords = {
  /** @param data `known` lists the allowed fields */
  unknownField: ({ name }: { readonly name: string; readonly known: readonly string[] }) =>
    words`unknown property '${name}'`,
  /** @param data `values` lists the allowed values of an enumeration */
  missingField: ({ expected, values }: { readonly expected: string; readonly values?: Values }) =>
    values ? words`missing: expected one of ${listed(values)}` : words`missing: expected ${expected}`,
  wrongType: ({ expected, received }: { readonly expected: string; readonly received: string }) =>
    words`expected ${expected}, received ${received}`,
  notOneOf: ({ values }: { readonly values: Values }) => words`must be one of ${listed(values)}`,
  tooSmall: ({ origin, inclusive, minimum }: Bound & { readonly minimum: number | bigint }): Words => {
    const isOne = Number(minimum) === 1;
    if (origin === 'string') return isOne ? NOT_EMPTY : words`must have at least ${minimum} characters`;
    if (origin === 'array') return isOne ? NOT_EMPTY : words`must have at least ${minimum} items`;
    return inclusive ? words`must be at least ${minimum}` : words`must be greater than ${minimum}`;
  },
  tooBig: ({ origin, inclusive, maximum }: Bound & { readonly maximum: number | bigint }): Words => {
    const isOne = Number(maximum) === 1;
    if (origin === 'string')
      return isOne ? words`must have at most 1 character` : words`must have at most ${maximum} characters`;
    if (origin === 'array') return isOne ? words`must have at most 1 item` : words`must have at most ${maximum} items`;
    return inclusive ? words`must be at most ${maximum}` : words`must be less than ${maximum}`;
  },
  /** @param data `format` is `regex` with a pattern, `starts_with` with a prefix, or `url`. `wanted` describes the format */
  wrongFormat: ({ wanted }: Format) => phrase(wanted),
  /** Any other violation that zod reports. */
  otherShape: ({ message }: { readonly message: string }) => verbatim(message),
};

const NOT_EMPTY = words`must not be empty`;

interface Format {
  readonly format: string;
  readonly pattern?: string;
  readonly prefix?: string;
  readonly wanted: string;
}

function listed(values: Values): string {
  return values.map((value) => String(value)).join(', ');
}
