import type { FieldSchema } from './fieldSchema.ts';

/* Words about fields, for the documentation and the editor. */

/** Returns the type in words, such as `list of strings`. Values of an enumeration are quoted by `quote`. */
export function typeOf(schema: FieldSchema, quote = (value: string): string => `\`${value}\``): string {
  if (schema.enum) return schema.enum.map((value) => quote(String(value))).join(', ');
  if (schema.oneOf) return 'object';
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, quote)))].join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? `${typeOf(schema.items, quote)}s` : 'values'}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return 'map of strings';
  return [schema.type ?? []].flat().join(' or ');
}

/** Returns the range of a number or of the length of a list, or an empty string. */
export function rangeOf({ minimum, maximum, minItems, maxItems }: FieldSchema): string {
  if (minimum !== undefined || maximum !== undefined) return bounds(minimum, maximum);
  return maxItems === undefined ? '' : `${bounds(minItems ?? 0, maxItems)} items`;
}

function bounds(low: number | undefined, high: number | undefined): string {
  const text = (value: number): string => value.toLocaleString('en-US');
  if (low === undefined || high === undefined) return high === undefined ? `at least ${low}` : `at most ${text(high)}`;
  return `${text(low)} to ${text(high)}`;
}
