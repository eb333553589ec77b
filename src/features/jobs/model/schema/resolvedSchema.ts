import { isObject } from '../jobInput.ts';
import type { JsonSchema } from './schemaFiles.ts';

/* Parts of a JSON schema, with their references and combinations resolved as far as one value needs them. */

export type SchemaFields = Readonly<Record<string, unknown>>;

/** Maximum nesting, because schemas can refer to themselves. */
export const MAX_LEVELS = 8;

/** A schema, and the number of its parts that can still be read. */
export interface SchemaSource {
  readonly schema: JsonSchema;
  left: number;
}

/** Follows references inside of the schema, joins `allOf`, and takes the first of several alternatives. */
export function resolved(given: unknown, root: SchemaSource, level = 0): SchemaFields {
  let schema: SchemaFields = isObject(given) ? given : {};
  for (let step = level; step < MAX_LEVELS && root.left > 0; step++) {
    root.left--;
    const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
    const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
    if (typeof reference === 'string') schema = { ...fieldsOf(targetOf(reference, root.schema)), ...own };
    else if (Array.isArray(allOf))
      schema = allOf
        .slice(0, root.left)
        .map((part) => resolved(part, root, step + 1))
        .reduce<SchemaFields>(joined, own);
    else if (alternatives.length > 0)
      schema = joined(own, fieldsOf(alternatives.find((one) => !isNull(one)) ?? alternatives[0]));
    else return schema;
  }
  return schema;
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null';
}

function joined(one: SchemaFields, other: SchemaFields): SchemaFields {
  const properties = { ...fieldsOf(one['properties']), ...fieldsOf(other['properties']) };
  const required = [one['required'], other['required']].filter((list) => Array.isArray(list)).flat() as unknown[];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function fieldsOf(value: unknown): SchemaFields {
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
