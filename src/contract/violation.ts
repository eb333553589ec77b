import type * as z from 'zod';

/** One broken rule of a body: where, what, and the HTTP status the service answers it with. */
export interface Violation {
  /** Path of the offending member, from the body's root. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly status: 400 | 404 | 422;
}

/** The violations of a body that does not have the schema's shape. */
export function shapeViolations(error: z.ZodError, status: Violation['status'] = 400): Violation[] {
  return violationsOf(error.issues, status);
}

function violationsOf(issues: readonly z.core.$ZodIssue[], status: Violation['status']): Violation[] {
  return issues.filter(isNearest).flatMap((issue) => {
    const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
    const entered = issue.code === 'invalid_union' ? enteredShape(issue) : undefined;
    if (entered) return violationsOf(entered, status).map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown property '${key}'`, status }));
    }
    return [{ path, message: describeIssue(issue), status }];
  });
}

/** Returns the issues of the one union member whose type matches the value; undefined unless exactly one does. */
function enteredShape({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const entered = errors.filter((shape) => shape.length > 0 && shape.every(({ path }) => path.length > 0));
  return entered.length === 1 ? entered[0] : undefined;
}

/** Filters out all but the tightest bound that a number violates, such as its own bound and that of safe integers. */
function isNearest(issue: z.core.$ZodIssue, _: number, all: readonly z.core.$ZodIssue[]): boolean {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return true;
  const path = issue.path.join();
  return !all.some((other) => {
    if (other === issue || other.path.join() !== path) return false;
    if (issue.code === 'too_big') return other.code === 'too_big' && other.maximum < issue.maximum;
    return other.code === 'too_small' && other.minimum > issue.minimum;
  });
}

/** zod's wording, save for what people meet most: a missing property, an empty text, a value that is not one of a few. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const missing = issue.input === undefined && 'input' in issue;
  switch (issue.code) {
    case 'invalid_type':
      return missing || issue.message.endsWith('received undefined')
        ? `missing: expected ${issue.expected}`
        : issue.message.replace(/^Invalid input: /, '');
    case 'invalid_value': {
      const values = issue.values.map((value) => String(value)).join(', ');
      return `${missing ? 'missing: expected' : 'must be'} one of ${values}`;
    }
    case 'invalid_union':
      return describeUnion(issue);
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array')
        return issue.minimum === 1 ? 'must not be empty' : issue.message;
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at most ${issue.maximum}` : issue.message;
    default:
      return issue.message.replace(/^Invalid input: /, '');
  }
}

/** A discriminated union tells its options; any other is told by what each of its shapes expected. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  if (issue.discriminator !== undefined && 'options' in issue)
    return `must be one of ${(issue.options ?? []).join(', ')}`;
  const reasons = issue.errors.flatMap((shape) => shape.filter(({ path }) => path.length === 0).map(describeIssue));
  return [...new Set(reasons)].join(', or ') || 'has none of the shapes it may have';
}

/** `$.workers.min` style path, as the `errors` of a problem spell it. */
export function formatPath(path: Violation['path']): string {
  return path.reduce<string>(
    (text, segment) => text + (typeof segment === 'number' ? `[${segment}]` : `.${segment}`),
    '$',
  );
}

/** The line of a problem's `errors` for a violation. */
export function formatViolation(violation: Violation): string {
  return `${formatPath(violation.path)}: ${violation.message}`;
}
