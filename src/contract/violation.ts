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
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown property '${key}'`, status }));
    }
    return [{ path, message: describeIssue(issue), status }];
  });
}

/** zod's own wording, save for the one case every user meets: a missing property. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `missing: expected ${issue.expected}`;
  }
  return issue.message.replace(/^Invalid input: /, '');
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
