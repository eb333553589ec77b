import { isObject } from '../jobInput.ts';
import { resolved, type SchemaSource } from '../schema/resolvedSchema.ts';
import type { JsonSchema } from '../schema/schemaFiles.ts';

/** Maximum number of schemas that are read. */
const MAX_SCHEMAS = 2_000;

/** Returns the values that a schema gives to the members of an input: defaults and constants. */
export function defaultInput(schema: JsonSchema): Record<string, unknown> {
  const root: SchemaSource = { schema, left: MAX_SCHEMAS };
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
