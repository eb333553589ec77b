import type * as z from 'zod';
import type { Path } from './violation.ts';

/**
 * Returns the fields that a schema allows in the object at a path of a value. The list is empty if the schema does not name them. For a
 * discriminated union, only the shape that the value selects counts.
 */
export function knownFields(schema: z.core.$ZodType, value: unknown, path: Path): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [segment, ...rest] = path;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return knownFields(def.innerType, value, path);
    case 'pipe':
      return knownFields(def.in, value, path);
    case 'union': {
      const fields = selectedShapes(def, value).flatMap((shape) => knownFields(shape, value, path));
      return [...new Set(fields)];
    }
    case 'object': {
      if (segment === undefined) return Object.keys(def.shape);
      const field = def.shape[segment];
      return field ? knownFields(field, memberOf(value, segment), rest) : [];
    }
    case 'record':
      return segment === undefined ? [] : knownFields(def.valueType, memberOf(value, segment), rest);
    case 'array':
      return segment === undefined ? [] : knownFields(def.element, memberOf(value, segment), rest);
    default:
      return [];
  }
}

function selectedShapes(
  def: z.core.$ZodUnionDef | z.core.$ZodDiscriminatedUnionDef,
  value: unknown,
): readonly z.core.$ZodType[] {
  if (!('discriminator' in def)) return def.options;
  const { discriminator, options } = def;
  const selected = memberOf(value, discriminator) as z.core.util.Primitive;
  return options.filter(({ _zod }) => _zod.propValues?.[discriminator]?.has(selected));
}

function memberOf(value: unknown, segment: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[segment];
}
