import * as l10n from '@vscode/l10n';
import type { Path } from '../../../../contract/violation.ts';
import { code, formatted, joinedMarkdown, type Markdown, type MarkdownValue } from '../../../../text/markdown.ts';
import type { Field, FieldSchema } from './fieldSchema.ts';
import type { Unit } from '../../../../contract/fieldFacts.ts';

/** Returns what the contract defines about a field: meaning with rules, type, unit, range, default, and examples. */
export function fieldMarkdown(field: Field, path: Path): Markdown {
  const key = `${pathText(path)} ${field.required}`;
  const known = documentation.get(field.schema)?.get(key);
  if (known) return known;
  const created = createMarkdown(field, path);
  documentation.set(field.schema, (documentation.get(field.schema) ?? new Map<string, Markdown>()).set(key, created));
  return created;
}

/** Documentation by schema, path, and requirement. Escaping takes most of the time of a completion. */
const documentation = new WeakMap<FieldSchema, Map<string, Markdown>>();

function createMarkdown({ schema, required, alternative }: Field, path: Path): Markdown {
  const { description, deprecated, examples = [], default: fallback } = schema;
  const unit = schema['x-unit'];
  const requirement = alternative === undefined ? l10n.t('required') : l10n.t`required with ${alternative}`;
  const heading = [
    formatted`**${pathText(path)}**`,
    typeOf(schema, (value) => value),
    ...(unit ? [unit] : []),
    ...(required ? [requirement] : []),
    ...(deprecated ? [l10n.t('deprecated')] : []),
  ];
  const range = rangeOf(schema);
  const facts = [
    ...(range === '' ? [] : [formatted`Range: ${range}`]),
    ...(fallback === undefined ? [] : [formatted`Default: ${valueMarkdown(fallback, schema)}`]),
    ...(examples.length === 0 ? [] : [formatted`Example: ${valueMarkdown(examples[0], schema)}`]),
  ];
  return joinedMarkdown(
    [
      joinedMarkdown(heading, ' · '),
      ...(description === undefined ? [] : [description]),
      ...(facts.length === 0 ? [] : [joinedMarkdown(facts, '  \n')]),
    ],
    '\n\n',
  );
}

/** Returns a value as code. A duration is also shown in larger units, such as `300000 ms = 5 min`. */
export function valueMarkdown(value: unknown, schema: FieldSchema): MarkdownValue {
  const unit = schema['x-unit'];
  if (typeof value !== 'number' || !unit) return code(typeof value === 'string' ? value : JSON.stringify(value));
  const duration = durationText(value, unit);
  const written = `${value} ${unit}`;
  return duration === undefined || duration === written ? code(written) : formatted`${code(written)} = ${duration}`;
}

/** Formats a path without indexes, such as `cpu[].id`. */
function pathText(path: Path): string {
  return path.reduce<string>(
    (text, segment) => (typeof segment === 'number' ? `${text}[]` : text === '' ? segment : `${text}.${segment}`),
    '',
  );
}

/* Words about fields, for the documentation and the editor. */

/** Returns the type in words, such as `list of strings`. Values of an enumeration are quoted by `quote`. */
export function typeOf(schema: FieldSchema, quote = (value: string): string => `\`${value}\``): string {
  if (schema.enum) return schema.enum.map((value) => quote(String(value))).join(', ');
  if (schema.oneOf) return l10n.t('object');
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, quote)))].join(l10n.t(' or '));
  if (schema.type === 'array')
    return schema.items ? l10n.t`list of ${typeOf(schema.items, quote)}s` : l10n.t('list of values');
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    const { properties, type } = schema.additionalProperties;
    // The values of a JSON schema can be anything.
    if (!properties && type === undefined) return l10n.t('object');
    return properties ? l10n.t('map of objects') : l10n.t('map of strings');
  }
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

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a number of milliseconds or seconds, such as `5 min` or `1 h 30 min`. Undefined if that is not shorter to read. */
export function durationText(value: number, unit: Unit): string | undefined {
  if (unit === 'GB' || !Number.isFinite(value) || value <= 0) return undefined;
  const seconds = unit === 'ms' ? value / 1_000 : value;
  if (seconds < (unit === 'ms' ? 1 : 60)) return undefined;
  let rest = Math.round(seconds);
  const parts = UNITS.flatMap(([name, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  const isExact = Number.isInteger(seconds);
  return `${isExact ? '' : l10n.t('about ')}${parts.slice(0, 2).join(' ')}`;
}
