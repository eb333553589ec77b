import { manifestJsonSchema } from '../../src/contract/manifest.ts';
import { table } from './section.ts';

/** The keywords of JSON Schema that the manifest's schema uses. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly deprecated?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

/** Returns a table of the manifest's fields, with their types, defaults, ranges, and meanings. The source is the contract. */
export function manifestFields(): string {
  return table(
    ['Field', 'Type', 'Default', 'Range', 'Meaning'],
    fieldsOf(manifestJsonSchema() as Schema, '').map(({ path, schema, required, alternative }) => [
      `\`${path}\`${required ? requiredText(alternative) : ''}${schema.deprecated ? ' (deprecated)' : ''}`,
      typeOf(schema),
      schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
      rangeOf(schema),
      [schema.description, ...(schema.examples ?? []).map((example) => `Example: \`${JSON.stringify(example)}\`.`)]
        .filter((part) => part !== undefined)
        .join(' '),
    ]),
  );
}

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** Discriminator value of the only alternative that has the field. */
  readonly alternative?: string;
}

function requiredText(alternative: string | undefined): string {
  return alternative === undefined ? ' (required)' : ` (required with \`${alternative}\`)`;
}

function fieldsOf(schema: Schema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) ?? false;
    return [{ path, schema: member, required }, ...innerFields(member, path)];
  });
}

/** Returns the fields of an object, of list items, or of all alternatives. The discriminator of alternatives is listed once. */
function innerFields(schema: Schema, path: string): Field[] {
  if (schema.oneOf) {
    const [discriminator] = Object.keys(schema.oneOf[0]?.properties ?? {});
    const alternatives = schema.oneOf.flatMap((one) =>
      fieldsOf(one, `${path}.`).map((field) => ({
        ...field,
        alternative: String(one.properties?.[discriminator ?? '']?.const),
      })),
    );
    const ofDiscriminator = alternatives.filter((field) => field.path === `${path}.${discriminator}`);
    const merged = {
      enum: ofDiscriminator.map(({ schema: { const: value } }) => value),
      description: ofDiscriminator.map(({ schema: { description } }) => description).join(' '),
      examples: ofDiscriminator[0]?.schema.examples ?? [],
    };
    return [
      { path: `${path}.${discriminator}`, schema: merged, required: true },
      ...alternatives.filter((field) => !ofDiscriminator.includes(field)),
    ];
  }
  if (schema.properties) return fieldsOf(schema, `${path}.`);
  return schema.items?.properties ? fieldsOf(schema.items, `${path}[].`) : [];
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.oneOf) return 'object';
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? pluralOf(schema.items) : 'values'}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return 'map of strings';
  return [schema.type].flat().join(' or ');
}

function pluralOf(item: Schema): string {
  return `${typeOf(item)}s`;
}

function rangeOf({ minimum, maximum, minItems, maxItems }: Schema): string {
  if (minimum !== undefined || maximum !== undefined) return bounds(minimum, maximum);
  return maxItems === undefined ? '' : `${bounds(minItems ?? 0, maxItems)} items`;
}

function bounds(low: number | undefined, high: number | undefined): string {
  const text = (value: number): string => value.toLocaleString('en-US');
  if (low === undefined || high === undefined) return high === undefined ? `at least ${low}` : `at most ${text(high)}`;
  return `${text(low)} to ${text(high)}`;
}
