import * as z from 'zod';

/** A number in a schema. `*` in its path stands for any list item or any key of a record. */
export interface NumericField {
  readonly path: readonly string[];
  readonly min: number;
  readonly max: number;
  readonly isInteger: boolean;
}

interface Check {
  readonly check: string;
  readonly value: number;
  readonly inclusive: boolean;
}

/** Returns all numbers in a schema. */
export function numericFields(schema: z.core.$ZodType, path: readonly string[] = []): NumericField[] {
  if (schema instanceof z.ZodNumber) {
    const checks = ((schema._zod.def as { checks?: z.core.$ZodCheck[] }).checks ?? []).map(
      (check) => check._zod.def as unknown as Check,
    );
    const lowest = checks.find(({ check }) => check === 'greater_than');
    const max = checks.find(({ check }) => check === 'less_than')?.value;
    if (lowest === undefined || max === undefined) throw new Error(`${path.join('.')} has no bounds`);
    // MIN_VALUE is the smallest number above an exclusive bound of 0.
    const min = lowest.inclusive ? lowest.value : Number.MIN_VALUE;
    return [{ path, min, max, isInteger: schema instanceof z.ZodNumberFormat }];
  }
  if (schema instanceof z.ZodArray) return numericFields(schema.element, [...path, '*']);
  if (schema instanceof z.ZodRecord) return numericFields(schema.valueType, [...path, '*']);
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.core.$ZodType>;
    return Object.entries(shape).flatMap(([name, member]) => numericFields(member, [...path, name]));
  }
  if (schema instanceof z.ZodUnion) {
    return (schema.options as z.core.$ZodType[]).flatMap((option) => numericFields(option, path));
  }
  if (schema instanceof z.ZodPipe) {
    return numericFields(schema.out instanceof z.ZodTransform ? schema.in : schema.out, path);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return numericFields(schema.unwrap(), path);
  }
  return [];
}

/** Returns numbers as JSON text: values near the bounds of a field, and values that often break programs. */
export function hostileNumbers({ min, max, isInteger }: NumericField): string[] {
  const step = isInteger ? 1 : 0.5;
  const around = [min - step, min, min + step, max - step, max, max + step, max * 2, -max];
  const known = [0, 1, -1, 1.5, 0.1, 1e-9, 5e-324, 1e12, 1e15, 1e18, 1e20, 1e308, -1e308];
  const powers = [31, 32, 52, 53, 63, 64].flatMap((power) => [2 ** power - 1, 2 ** power, 2 ** power + 2]);
  return [
    ...new Set([...around, ...known, ...powers].map(String)),
    '-0',
    '1e400',
    '-1e400',
    '1.0',
    '100e-2',
    '"1"',
    'null',
  ];
}

/** Returns true if a field accepts the number in this JSON text. */
export function isWithin({ min, max, isInteger }: NumericField, text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === 'number' && value >= min && value <= max && (!isInteger || Number.isInteger(value));
}

const PLACEHOLDER = 'the number goes here';

/** Returns the JSON of a body with `text` in place of one number, or undefined if the path has no number. */
export function withNumber(body: unknown, path: readonly string[], text: string): string | undefined {
  const replaced = withPlaceholder(body, path);
  return replaced === undefined ? undefined : JSON.stringify(replaced).replace(`"${PLACEHOLDER}"`, text);
}

function withPlaceholder(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return typeof value === 'number' ? PLACEHOLDER : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (name !== '*' && name !== key) continue;
    const replaced = withPlaceholder(member, rest);
    if (replaced === undefined) continue;
    if (Array.isArray(value)) return value.map((item: unknown) => (item === member ? replaced : item));
    return { ...value, [key]: replaced };
  }
  return undefined;
}
