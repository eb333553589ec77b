import { fieldsOf, manifestSchema, type Field } from '../../src/features/manifest/model/fields/fieldSchema.ts';
import { rangeOf, typeOf } from '../../src/features/manifest/model/fields/fieldMarkdown.ts';
import { table } from './section.ts';

/** Returns a table of the manifest's fields, with their types, ranges, defaults, and meanings. The source is the contract. */
export function manifestFields(): string {
  return table(
    ['Field', 'Type', 'Default', 'Meaning'],
    withInner(fieldsOf(manifestSchema()), '').map(({ path, hasInner, schema, required, alternative }) => {
      // A default that is not a value of the schema is the last sentence of the description.
      const [, meaning, statedDefault = ''] = /^(.*?)(?: Default: (.+)\.)?$/.exec(schema.description ?? '') ?? [];
      // Inner fields have their own examples.
      const hasExamples =
        !hasInner && schema.enum === undefined && schema.type !== 'integer' && schema.type !== 'number';
      return [
        `\`${path}\`${required ? requiredText(alternative) : ''}${schema.deprecated ? ' (deprecated)' : ''}`,
        // The text above the table has the maximum lengths of lists.
        [typeOf(schema), schema.type === 'array' ? '' : rangeOf(schema)].filter((part) => part !== '').join(', '),
        schema.default === undefined ? statedDefault : `\`${JSON.stringify(schema.default)}\``,
        [meaning, ...(hasExamples ? (schema.examples ?? []) : []).map((one) => `Example: \`${JSON.stringify(one)}\`.`)]
          .filter((part) => part !== undefined)
          .join(' '),
      ];
    }),
  );
}

function requiredText(alternative: string | undefined): string {
  return alternative === undefined ? ' (required)' : ` (required with \`${alternative}\`)`;
}

interface FieldRow extends Field {
  /** Such as `mounts.network[].path`. */
  readonly path: string;
  readonly hasInner: boolean;
}

/** Returns the fields, each followed by the fields of its object or of its list items. */
function withInner(fields: readonly Field[], prefix: string): FieldRow[] {
  return fields.flatMap((field) => {
    const { name, schema } = field;
    const path = prefix + name;
    const { items, additionalProperties: others } = schema;
    const inner = items
      ? withInner(fieldsOf(items), `${path}[].`)
      : typeof others === 'object'
        ? withInner(fieldsOf(others), `${path}.<name>.`)
        : // A patch has the fields of the manifest.
          withInner(name === 'patch' ? [] : fieldsOf(schema), `${path}.`);
    return [{ ...field, path, hasInner: inner.length > 0 }, ...inner];
  });
}
