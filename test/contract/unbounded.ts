import * as z from 'zod';

interface Check {
  readonly check: string;
  readonly value?: number | bigint;
  readonly maximum?: number;
}

/**
 * Returns the paths of numbers in a schema without an explicit lower or upper bound, and of lists without a maximum length. The bounds
 * that `z.int()` implies do not count. An unknown kind of schema counts as unbounded, so that each new kind requires a decision here.
 */
export function unbounded(schema: z.core.$ZodType, path = '$'): string[] {
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBigInt) return boundsMissing(schema, path);
  if (schema instanceof z.ZodArray) {
    const hasMaximum = checksOf(schema).some(({ check }) => check === 'max_length' || check === 'length_equals');
    return [...(hasMaximum ? [] : [`${path}: no maximum length`]), ...unbounded(schema.element, `${path}[]`)];
  }
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.core.$ZodType>;
    return Object.entries(shape).flatMap(([name, member]) => unbounded(member, `${path}.${name}`));
  }
  if (schema instanceof z.ZodRecord) return unbounded(schema.valueType, `${path}.*`);
  if (schema instanceof z.ZodUnion) {
    return (schema.options as z.core.$ZodType[]).flatMap((option) => unbounded(option, path));
  }
  if (schema instanceof z.ZodPipe) {
    // The output of a pipe is the value in use. A transform does not describe its output, so its input counts.
    return unbounded(schema.out instanceof z.ZodTransform ? schema.in : schema.out, path);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unbounded(schema.unwrap(), path);
  }
  return WITHOUT_NUMBERS.some((kind) => schema instanceof kind)
    ? []
    : [`${path}: unknown type ${schema._zod.def.type}`];
}

/** `unknown` is for values that pass through unchanged, such as the input of a job. */
const WITHOUT_NUMBERS = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodUnknown,
  z.ZodNull,
];

function boundsMissing(schema: z.core.$ZodType, path: string): string[] {
  const kinds = checksOf(schema).map(({ check }) => check);
  return [
    ...(kinds.includes('greater_than') ? [] : [`${path}: no lower bound`]),
    ...(kinds.includes('less_than') ? [] : [`${path}: no upper bound`]),
  ];
}

function checksOf(schema: z.core.$ZodType): Check[] {
  const checks = (schema._zod.def as { checks?: z.core.$ZodCheck[] }).checks ?? [];
  return checks.map((check) => check._zod.def as unknown as Check);
}
