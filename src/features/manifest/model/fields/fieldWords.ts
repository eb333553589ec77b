import * as l10n from '@vscode/l10n';
import type { FieldSchema } from './fieldSchema.ts';

/* Words about fields, for the documentation and the editor. */

/** Returns the type in words, such as `list of strings`. Values of an enumeration are quoted by `quote`. */
export function typeOf(schema: FieldSchema, quote = (value: string): string => `\`${value}\``): string {
  if (schema.enum) return schema.enum.map((value) => quote(String(value))).join(', ');
  if (schema.oneOf) return l10n.t('object');
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, quote)))].join(l10n.t(' or '));
  if (schema.type === 'array')
    return schema.items ? l10n.t`list of ${typeOf(schema.items, quote)}s` : l10n.t('list of values');
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return l10n.t('map of strings');
  return [schema.type ?? []].flat().join(l10n.t(' or '));
}

/** Returns the range of a number or of the length of a list, or an empty string. */
export function rangeOf({ minimum, maximum, minItems, maxItems }: FieldSchema): string {
  if (minimum !== undefined || maximum !== undefined) return bounds(minimum, maximum);
  return maxItems === undefined ? '' : l10n.t`${bounds(minItems ?? 0, maxItems)} items`;
}

function bounds(low: number | undefined, high: number | undefined): string {
  const text = (value: number): string => value.toLocaleString('en-US');
  if (low === undefined || high === undefined)
    return high === undefined ? l10n.t`at least ${low ?? 0}` : l10n.t`at most ${text(high)}`;
  return l10n.t`${text(low)} to ${text(high)}`;
}
