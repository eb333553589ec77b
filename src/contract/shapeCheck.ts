import * as z from 'zod';
import { ruleOfIssue } from './schemaRule.ts';
import { brokenRule, violation, type BrokenRule, type Path, type Violation } from './violation.ts';

export type ShapeCheck<Data> =
  | { readonly data: Data; readonly violations: readonly [] }
  | { readonly data?: undefined; readonly violations: readonly [Violation, ...Violation[]] };

/** Checks a value against a schema, and converts the schema's issues into violations with this status. */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  status: Violation['status'] = 400,
): ShapeCheck<z.output<Schema>> {
  // With the input, a missing field differs from one of a wrong type.
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return { data: parsed.data, violations: [] };
  const violations = violationsOf(parsed.error.issues, [], { schema, value, status });
  return { violations: violations as [Violation, ...Violation[]] };
}

interface Checked {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  readonly status: Violation['status'];
}

/** @param base path that the paths of the issues start from */
function violationsOf(issues: readonly z.core.$ZodIssue[], base: Path, checked: Checked): Violation[] {
  return nearest(issues).flatMap((issue) => {
    const path = [...base, ...issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))];
    const entered = issue.code === 'invalid_union' ? enteredShape(issue) : undefined;
    if (entered) return violationsOf(entered, path, checked);
    if (issue.code === 'unrecognized_keys') {
      const known = knownFields(checked.schema, checked.value, path);
      return issue.keys.map((name) => violation([...path, name], 'unknownField', { name, known }, checked.status));
    }
    return [{ path, status: checked.status, ...ruleBrokenBy(issue) }];
  });
}

/** Returns the issues of the union member whose type matches the value, or undefined unless exactly one matches. */
function enteredShape({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const entered = errors.filter((shape) => shape.length > 0 && shape.every(({ path }) => path.length > 0));
  return entered.length === 1 ? entered[0] : undefined;
}

/**
 * Leaves out each bound of a value that also violates a tighter one, such as its own bound and that of safe integers. Of equal bounds, only
 * the first counts.
 */
function nearest(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const tightest = new Map<string, { readonly issue: z.core.$ZodIssue; readonly value: number | bigint }>();
  for (const issue of issues) {
    const bound = boundOf(issue);
    if (!bound) continue;
    const known = tightest.get(bound.key);
    if (!known || bound.isTighterThan(known.value)) tightest.set(bound.key, { issue, value: bound.value });
  }
  return issues.filter((issue) => {
    const bound = boundOf(issue);
    return !bound || tightest.get(bound.key)?.issue === issue;
  });
}

interface Bound {
  readonly key: string;
  readonly value: number | bigint;
  readonly isTighterThan: (other: number | bigint) => boolean;
}

function boundOf(issue: z.core.$ZodIssue): Bound | undefined {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return undefined;
  const value = issue.code === 'too_big' ? issue.maximum : issue.minimum;
  const isTighterThan = (other: number | bigint) => (issue.code === 'too_big' ? value < other : value > other);
  return { key: `${issue.code} ${issue.path.join()}`, value, isTighterThan };
}

function ruleBrokenBy(issue: z.core.$ZodIssue): BrokenRule {
  const isMissing = issue.input === undefined;
  switch (issue.code) {
    case 'invalid_type': {
      // JSON has no other word for a record.
      const expected = issue.expected === 'record' ? 'object' : issue.expected;
      if (isMissing) return brokenRule('missingField', { expected });
      return brokenRule('wrongType', { expected, received: typeName(issue.input) });
    }
    case 'invalid_value': {
      const { values } = issue;
      return isMissing
        ? brokenRule('missingField', { expected: typeof values[0], values })
        : brokenRule('notOneOf', { values });
    }
    case 'too_small': {
      const { origin, minimum, inclusive = true } = issue;
      return brokenRule('tooSmall', { origin, minimum, inclusive });
    }
    case 'too_big': {
      const { origin, maximum, inclusive = true } = issue;
      return brokenRule('tooBig', { origin, maximum, inclusive });
    }
    case 'invalid_format': {
      const { format, pattern, message: wanted } = issue;
      const prefix = 'prefix' in issue ? { prefix: String(issue.prefix) } : {};
      return brokenRule('wrongFormat', { format, wanted, ...(pattern === undefined ? {} : { pattern }), ...prefix });
    }
    case 'invalid_union':
      return noAlternative(issue);
    case 'custom':
      return ruleOfIssue(issue) ?? brokenRule('otherShape', { message: issue.message });
    default:
      return brokenRule('otherShape', { message: issue.message });
  }
}

/** Lists the options of a discriminated union, or the violation of each shape of any other union. */
function noAlternative(issue: z.core.$ZodIssueInvalidUnion): BrokenRule {
  if (issue.discriminator !== undefined && 'options' in issue) {
    const values = issue.options ?? [];
    const given = (issue.input as Readonly<Record<string, unknown>>)[issue.discriminator];
    return given === undefined
      ? brokenRule('missingField', { expected: typeof values[0], values })
      : brokenRule('notOneOf', { values });
  }
  const reasons = issue.errors.flatMap((shape) => shape.filter(({ path }) => path.length === 0).map(ruleBrokenBy));
  return brokenRule('noAlternative', { reasons });
}

/** Returns zod's name for the type of a JSON value, or the value itself for a number that is not finite. */
function typeName(value: unknown): string {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : z.util.parsedType(value);
}

/**
 * Returns the fields that a schema allows in the object at a path of a value. The list is empty if the schema does not name them. For a
 * discriminated union, only the shape that the value selects counts.
 */
function knownFields(schema: z.core.$ZodType, value: unknown, path: Path): string[] {
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
