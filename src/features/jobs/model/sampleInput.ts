import { isObject } from './jobInput.ts';
import { MAX_LEVELS, resolved, type SchemaFields, type SchemaSource } from './schema/resolvedSchema.ts';
import type { JsonSchema } from './schema/schemaFiles.ts';

/** Maximum number of schemas that a sample reads, because each level of a schema can refer to itself many times. */
const MAX_SCHEMAS = 500;
/** Maximum number of schemas that the defaults of an input read, which do not nest. */
const MAX_DEFAULT_SCHEMAS = 2_000;

/** Returns an input for a schema: its example or default, otherwise the required members and those with a default or an example. */
export function sampleInput(schema: JsonSchema): Record<string, unknown> {
  const sample = sampleOf(schema, { schema, left: MAX_SCHEMAS }, 0);
  return isObject(sample) ? sample : {};
}

function sampleOf(given: unknown, root: SchemaSource, level: number): unknown {
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
function ownValue(schema: SchemaFields): readonly unknown[] {
  if ('const' in schema) return [schema['const']];
  if ('default' in schema) return [schema['default']];
  return firstOf(schema['examples']);
}

function firstOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.slice(0, 1) : [];
}

function smallestNumber({ minimum, exclusiveMinimum }: SchemaFields): number {
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof minimum === 'number' ? minimum : 0;
}

/** Returns the values that a schema gives to the members of an input: defaults and constants. */
export function defaultInput(schema: JsonSchema): Record<string, unknown> {
  const root: SchemaSource = { schema, left: MAX_DEFAULT_SCHEMAS };
  const { properties } = resolved(schema, root);
  const found = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([name, member]): [string, unknown][] => {
      const part = resolved(member, root);
      if ('const' in part) return [[name, part['const']]];
      return 'default' in part && part['default'] !== null ? [[name, part['default']]] : [];
    },
  );
  return Object.fromEntries(found);
}
