import type * as z from 'zod';

/*
 * Violations that a JSON Schema of the value expresses as well. Each code has its data, the parameter, and its message, the result.
 */

type Values = readonly z.core.util.Primitive[];

/** The origin of a bound, such as `string`, `array` or `int`, and whether the bound itself is allowed. */
interface Bound {
  readonly origin: string;
  readonly inclusive: boolean;
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

export const shapeWords = {
  /** @param data `known` lists the fields that are allowed in this place. */
  unknownField: ({ name }: { readonly name: string; readonly known: readonly string[] }) =>
    `unknown property '${name}'`,
  /** @param data `values` lists the allowed values of an enumeration. */
  missingField: ({ expected, values }: { readonly expected: string; readonly values?: Values }) =>
    `missing: expected ${values ? `one of ${listed(values)}` : expected}`,
  wrongType: ({ expected, received }: { readonly expected: string; readonly received: string }) =>
    `expected ${expected}, received ${received}`,
  notOneOf: ({ values }: { readonly values: Values }) => `must be one of ${listed(values)}`,
  tooSmall: ({ origin, inclusive, minimum }: Bound & { readonly minimum: number | bigint }) => {
    const unit = UNITS[origin];
    if (!unit) return `must be ${inclusive ? 'at least' : 'above'} ${minimum}`;
    return minimum === 1 ? 'must not be empty' : `Too small: expected ${origin} to have >=${minimum} ${unit}`;
  },
  tooBig: ({ origin, inclusive, maximum }: Bound & { readonly maximum: number | bigint }) => {
    const unit = UNITS[origin];
    if (!unit) return `must be ${inclusive ? 'at most' : 'below'} ${maximum}`;
    return `Too big: expected ${origin} to have <=${maximum} ${unit}`;
  },
  /** @param data `format` is `regex`, `url` or `starts_with`; `wanted` describes the format. */
  wrongFormat: ({ wanted }: { readonly format: string; readonly pattern?: string; readonly wanted: string }) => wanted,
  /** @param data `reasons` holds the violation of each shape that the value may have. */
  noAlternative: ({ reasons }: { readonly reasons: readonly Reason[] }) =>
    [...new Set(reasons.map(({ message }) => message))].join(', or ') || 'has none of the shapes it may have',
  /** Any other violation that the schema library reports. */
  otherShape: ({ told }: { readonly told: string }) => told,
};

interface Reason {
  readonly code: string;
  readonly data: object;
  readonly message: string;
}

function listed(values: Values): string {
  return values.map((value) => String(value)).join(', ');
}
