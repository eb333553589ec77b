import type { Reference, Unit } from '../../../../contract/fieldFacts.ts';
import { manifestJsonSchema } from '../../../../contract/manifest.ts';
import type { Path } from '../../../../contract/violation.ts';
import { localizedSchema } from '../../../../account/contractText.ts';
import { childOf } from '../editing/editedValue.ts';

/* The fields of a manifest, read from the contract. */

/** The keywords of JSON Schema that the manifest's schema uses. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
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
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly oneOf?: readonly FieldSchema[];
  readonly anyOf?: readonly FieldSchema[];
  readonly additionalProperties?: boolean | FieldSchema;
  readonly 'x-unit'?: Unit;
  readonly 'x-refers-to'?: Reference;
  readonly 'x-costs'?: boolean;
  readonly 'x-variables'?: boolean;
}

export interface Field {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly required: boolean;
  /** Value of the discriminator that selects the field. Undefined for a field of all alternatives. */
  readonly alternative?: string | undefined;
}

let schema: FieldSchema | undefined;

/** Returns the schema of a manifest, with its texts in the language of the editor. */
export function manifestSchema(): FieldSchema {
  schema ??= localizedSchema(manifestJsonSchema()) as FieldSchema;
  return schema;
}

/** Returns the fields of an object. Of a discriminated union, returns the fields of all alternatives, and the discriminator once. */
export function fieldsOf(object: FieldSchema): readonly Field[] {
  const known = fieldLists.get(object);
  if (known) return known;
  const fields = readFields(object);
  fieldLists.set(object, fields);
  return fields;
}

const fieldLists = new WeakMap<FieldSchema, readonly Field[]>();

function readFields(object: FieldSchema): readonly Field[] {
  if (!object.oneOf) {
    return Object.entries(object.properties ?? {}).map(([name, member]) => ({
      name,
      schema: member,
      required: object.required?.includes(name) ?? false,
    }));
  }
  const discriminator = discriminatorOf(object);
  const merged = mergedDiscriminator(object.oneOf.flatMap(({ properties }) => properties?.[discriminator] ?? []));
  return [
    { name: discriminator, schema: merged, required: true },
    ...object.oneOf.flatMap((one) =>
      fieldsOf(one)
        .filter(({ name }) => name !== discriminator)
        .map((field) => ({ ...field, alternative: String(one.properties?.[discriminator]?.const) })),
    ),
  ];
}

/** Returns the fields that an object with this value can have. The discriminator of the value selects the alternative. */
export function selectedFields(object: FieldSchema, value: unknown): readonly Field[] {
  const fields = fieldsOf(object);
  if (!object.oneOf) return fields;
  const selected = childOf(value, discriminatorOf(object));
  const known = fields.some(({ alternative }) => alternative !== undefined && alternative === selected);
  return known ? fields.filter(({ alternative }) => alternative === undefined || alternative === selected) : fields;
}

/** Returns the name of the field that selects an alternative. It is the first field of each alternative. */
export function discriminatorOf({ oneOf }: FieldSchema): string {
  return Object.keys(oneOf?.[0]?.properties ?? {})[0] ?? '';
}

/** Returns the field at a path of a manifest with this value, or undefined for a path that the contract does not have. */
export function fieldAt(path: Path, value: unknown): Field | undefined {
  let field: Field = { name: '', schema: manifestSchema(), required: true };
  let current = value;
  for (const segment of path) {
    const next = fieldIn(field.schema, segment, current);
    if (!next) return undefined;
    field = next;
    current = childOf(current, segment);
  }
  return field;
}

/** Returns the paths of the fields with this unit, except for fields of list items. */
export function pathsWithUnit(unit: Unit, object = manifestSchema(), path: Path = []): readonly Path[] {
  return fieldsOf(object).flatMap(({ name, schema: member }) => {
    const own = [...path, name];
    return member['x-unit'] === unit ? [own] : pathsWithUnit(unit, member, own);
  });
}

/** Returns the schema of a list's items, or undefined for a field that is never a list. */
export function itemsOf({ items, anyOf }: FieldSchema): FieldSchema | undefined {
  return items ?? anyOf?.find((one) => one.items)?.items;
}

function fieldIn(parent: FieldSchema, segment: string | number, value: unknown): Field | undefined {
  const name = String(segment);
  if (typeof segment === 'number') {
    const items = itemsOf(parent);
    return items && { name, schema: items, required: false };
  }
  if (typeof parent.additionalProperties === 'object')
    return { name, schema: parent.additionalProperties, required: false };
  return selectedFields(parent, value).find((field) => field.name === name);
}

function mergedDiscriminator(options: readonly FieldSchema[]): FieldSchema {
  return {
    enum: options.map(({ const: value }) => value),
    description: options.map(({ description }) => description).join(' '),
    examples: options[0]?.examples ?? [],
  };
}

/** Kinds of values in a manifest. */
export type ValueKind = 'map' | 'list' | 'string' | 'number' | 'boolean' | 'null' | 'enum';

/** Returns the kinds of values that a field accepts. */
export function kindsOf({ type, enum: values, oneOf, anyOf }: FieldSchema): readonly ValueKind[] {
  if (values) return ['enum'];
  if (oneOf) return ['map'];
  if (anyOf) return [...new Set(anyOf.flatMap(kindsOf))];
  return [type ?? []].flat().flatMap((name) => KINDS[name] ?? []);
}

const KINDS: Readonly<Record<string, ValueKind>> = {
  object: 'map',
  array: 'list',
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};
