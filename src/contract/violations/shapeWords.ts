import type * as z from 'zod';

/*
 * Violations that a JSON Schema of the value can express too. Each code is a function from its data to its message.
 */

type Values = readonly z.core.util.Primitive[];

/** Type of the bounded value, such as `string`, `array`, or `int`. `inclusive` is true if the bound itself is allowed. */
interface Bound {
  readonly origin: string;
  readonly inclusive: boolean;
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

export const shapeWords = {
  /** @param data `known` lists the allowed fields */
  unknownField: ({ name }: { readonly name: string; readonly known: readonly string[] }) =>
    `unknown property '${name}'`,
  /** @param data `values` lists the allowed values of an enumeration */
  missingField: ({ expected, values }: { readonly expected: string; readonly values?: Values }) =>
    `missing: expected ${values ? `one of ${listed(values)}` : expected}`,
  wrongType: ({ expected, received }: { readonly expected: string; readonly received: string }) =>
    `expected ${expected}, received ${received}`,
  notOneOf: ({ values }: { readonly values: Values }) => `must be one of ${listed(values)}`,
  tooSmall: ({ origin, inclusive, minimum }: Bound & { readonly minimum: number | bigint }) => {
    const unit = UNITS[origin];
    if (!unit) return `must be ${inclusive ? 'at least' : 'greater than'} ${minimum}`;
    return minimum === 1 ? 'must not be empty' : `must have at least ${counted(minimum, unit)}`;
  },
  tooBig: ({ origin, inclusive, maximum }: Bound & { readonly maximum: number | bigint }) => {
    const unit = UNITS[origin];
    if (!unit) return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}`;
    return `must have at most ${counted(maximum, unit)}`;
  },
  /** @param data `format` is `regex` with a pattern, `starts_with` with a prefix, or `url`. `wanted` describes the format */
  wrongFormat: ({ wanted }: Format) => wanted,
  /** @param data `reasons` has the violation of each allowed shape */
  noAlternative: ({ reasons }: { readonly reasons: readonly Reason[] }) =>
    [...new Set(reasons.map(({ message }) => message))].join(', or ') || 'does not match any allowed shape',
  /** Any other violation that zod reports. */
  otherShape: ({ message }: { readonly message: string }) => message,
};

interface Format {
  readonly format: string;
  readonly pattern?: string;
  readonly prefix?: string;
  readonly wanted: string;
}

interface Reason {
  readonly code: string;
  readonly data: object;
  readonly message: string;
}

function counted(count: number | bigint, unit: string): string {
  return `${count} ${unit}${Number(count) === 1 ? '' : 's'}`;
}

function listed(values: Values): string {
  return values.map((value) => String(value)).join(', ');
}
