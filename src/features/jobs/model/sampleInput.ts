import { isObject } from './jobInput.ts';
import type { JsonSchema } from './schema/schemaFiles.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum nesting of a sample, because schemas can refer to themselves. */
const MAX_LEVELS = 8;
/** Maximum number of schemas that a sample reads, because each level of a schema can refer to itself many times. */
const MAX_SCHEMAS = 500;

/** A schema, and the number of its parts that a sample can still read. */
interface Source {
  readonly schema: JsonSchema;
  left: number;
}

/** Returns an input for a schema: its example or default, otherwise the required members and those with a default or an example. */
export function sampleInput(schema: JsonSchema): Record<string, unknown> {
  const sample = sampleOf(schema, { schema, left: MAX_SCHEMAS }, 0);
  return isObject(sample) ? sample : {};
}

function sampleOf(given: unknown, root: Source, level: number): unknown {
  const schema = resolved(given, root);
  const [known] = [...ownValue(schema), ...firstOf(schema['enum'])];
  if (known !== undefined) return known;
  const type = Array.isArray(schema['type'])
    ? (schema['type'] as unknown[]).find((one) => one !== 'null')
    : schema['type'];
  const properties = isObject(schema['properties']) ? schema['properties'] : undefined;
  if (type === 'object' || (type === undefined && properties)) {
    const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
    const members = Object.entries(properties ?? {})
      .filter(([name, member]) => required.has(name) || ownValue(resolved(member, root)).length > 0)
      .map(([name, member]) => [name, level < MAX_LEVELS ? sampleOf(member, root, level + 1) : null]);
    return Object.fromEntries(members);
  }
  switch (type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return smallestNumber(schema);
    case 'boolean':
      return false;
    case 'array':
      return Number(schema['minItems'] ?? 0) > 0 && level < MAX_LEVELS
        ? [sampleOf(schema['items'], root, level + 1)]
        : [];
    default:
      return null;
  }
}

/** Returns the value that a schema itself suggests, as a list with at most one item. */
function ownValue(schema: Fields): readonly unknown[] {
  if ('const' in schema) return [schema['const']];
  if ('default' in schema) return [schema['default']];
  return firstOf(schema['examples']);
}

function firstOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.slice(0, 1) : [];
}

/** Follows references inside of the schema, joins `allOf`, and takes the first of several alternatives. */
function resolved(given: unknown, root: Source, level = 0): Fields {
  let schema: Fields = isObject(given) ? given : {};
  for (let step = level; step < MAX_LEVELS && root.left > 0; step++) {
    root.left--;
    const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
    const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
    if (typeof reference === 'string') schema = { ...fieldsOf(targetOf(reference, root.schema)), ...own };
    else if (Array.isArray(allOf))
      schema = allOf
        .slice(0, root.left)
        .map((part) => resolved(part, root, step + 1))
        .reduce<Fields>(joined, own);
    else if (alternatives.length > 0) schema = joined(own, fieldsOf(alternatives[0]));
    else return schema;
  }
  return schema;
}

function joined(one: Fields, other: Fields): Fields {
  const properties = { ...fieldsOf(one['properties']), ...fieldsOf(other['properties']) };
  const required = [one['required'], other['required']].filter((list) => Array.isArray(list)).flat() as unknown[];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** Returns the part of the schema that a reference such as `#/definitions/size` names. */
function targetOf(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  const segments = reference
    .slice(1)
    .split('/')
    .filter((segment) => segment !== '');
  return segments.reduce<unknown>((value, segment) => {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(value) ? value[name] : undefined;
  }, root);
}

function smallestNumber({ minimum, exclusiveMinimum }: Fields): number {
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof minimum === 'number' ? minimum : 0;
}
