/*
 * Schemas of small values that an activation of the extension reads, such as stored state. They check values like the schemas of zod, which
 * is as large as a quarter of the activated code and is loaded later.
 */

/** A schema of this module or of zod. */
export interface Schema<Value> {
  /** Returns a copy of a valid value, without unknown members. `data` is undefined for any other value. */
  safeParse(value: unknown): { readonly data?: Value | undefined };
}

/** Type of the values of a schema. */
export type ValueOf<Of> = Of extends Schema<infer Value> ? Value : never;

function schemaOf<Value>(read: (value: unknown) => Value | undefined): Schema<Value> {
  return { safeParse: (value) => ({ data: read(value) }) };
}

/** A value that passes a test. */
export function matching<Value>(test: (value: unknown) => value is Value): Schema<Value> {
  return schemaOf((value) => (test(value) ? value : undefined));
}

export const text = matching((value) => typeof value === 'string');
export const number = matching((value): value is number => typeof value === 'number' && Number.isFinite(value));
export const integer = matching((value): value is number => Number.isSafeInteger(value));
export const flag = matching((value) => typeof value === 'boolean');

/** Any value. */
export const anything: Schema<unknown> = schemaOf((value) => value);

/** One of some values. */
export function oneOf<const Value extends string | number | true>(...values: readonly Value[]): Schema<Value> {
  return matching((value): value is Value => (values as readonly unknown[]).includes(value));
}

/** A list whose items all are valid. */
export function listOf<Item>(item: Schema<Item>): Schema<Item[]> {
  return schemaOf((value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((one) => item.safeParse(one).data).filter((one) => one !== undefined);
    return items.length === value.length ? items : undefined;
  });
}

type Shape = Readonly<Record<string, Schema<unknown>>>;
type MembersOf<Of extends Shape> = { [Name in keyof Of]: ValueOf<Of[Name]> };
type OptionalOf<Of extends Shape> = { [Name in keyof Of]?: ValueOf<Of[Name]> | undefined };

/** An object whose members all are valid. `shape` has the schemas of the members by name. */
export type ObjectSchema<Value> = Schema<Value> & { readonly shape: object };

/** @param optional schemas of the members that can be absent */
export function object<Required extends Shape>(required: Required): ObjectSchema<MembersOf<Required>>;
export function object<Required extends Shape, Optional extends Shape>(
  required: Required,
  optional: Optional,
): ObjectSchema<MembersOf<Required> & OptionalOf<Optional>>;
export function object(required: Shape, optional?: Shape): ObjectSchema<unknown> {
  const shape: Shape = { ...required, ...optional };
  const schema = schemaOf((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(shape)) {
      const given = (value as Record<string, unknown>)[name];
      if (given === undefined && !(name in required)) continue;
      const { data } = member.safeParse(given);
      if (data === undefined) return undefined;
      copy[name] = data;
    }
    return copy;
  });
  return { shape, ...schema };
}
