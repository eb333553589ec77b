/* Differences between the expectations of a job file and the job that ran. Programs decide on `code`; mismatchWords.ts has the words. */

/** Path of a value, from the root of a JSON value. */
export type JsonPath = readonly (string | number)[];

export type MismatchCode =
  /** The job has another status. */
  | 'wrongStatus'
  /** The output lacks a value. `actual` is undefined. */
  | 'missingValue'
  /** A value has another type. */
  | 'wrongType'
  /** A value of the same type differs. */
  | 'wrongValue'
  /** A list has another length. `expected` and `actual` are the lengths. */
  | 'wrongLength'
  /** The error lacks the expected text. `actual` is undefined if the job has no error. */
  | 'wrongError'
  /** The output breaks a rule of the JSON schema. `expected` is the rule in words. */
  | 'schemaViolation'
  /** The JSON schema cannot be used. `actual` is the reason in words. */
  | 'unusableSchema'
  /** The check with the JSON schema was stopped. `actual` is the time limit in ms. */
  | 'stoppedSchema'
  /** The worker took longer than expected. Both values are in ms. */
  | 'tooSlow'
  /** The platform reported no execution time. `expected` is in ms. */
  | 'noExecutionTime'
  /** The job did not end within the time limit and was canceled. `expected` is the limit in ms, and `actual` the last status. */
  | 'neverEnded';

/** One violated expectation. */
export interface Mismatch {
  readonly code: MismatchCode;
  /** Path of the value in the job, such as `['output', 'items', 2, 'name']`. */
  readonly path: JsonPath;
  /** Path of the violated expectation in the job file, such as `['expect', 'output', 'items', 2, 'name']`. */
  readonly member: JsonPath;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Maximum number of mismatches that are reported for a job. */
export const MAX_MISMATCHES = 50;

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Formats a path, such as `$.output.items[2].name` or `$.output["a key"]`. */
export function pathText(path: JsonPath): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return IDENTIFIER.test(segment) ? `${text}.${segment}` : `${text}[${JSON.stringify(segment)}]`;
  }, '$');
}
