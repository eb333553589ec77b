import * as l10n from '@vscode/l10n';

/* Differences between the expectations of a job file and the job that ran. Programs decide on `code`; mismatchWords.ts has the words. */

/** Path of a value, from the root of a JSON value. */
export type JsonPath = readonly (string | number)[];

type MismatchCode =
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
  /** The response has another status. */
  | 'wrongResponseStatus'
  /** No response began within the time limit. `expected` is the limit in ms. */
  | 'noResponse'
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

const MAX_VALUE_LENGTH = 120;

/** Describes a violated expectation in one line, such as `$.output.name: expected "a", but it is "b"`. The values are foreign text. */
export function mismatchWords(mismatch: Mismatch): string {
  return `${pathText(mismatch.path)}: ${mismatchText(mismatch)}`;
}

/** Returns the words about a violated expectation without its path. */
export function mismatchText({ code, expected, actual }: Mismatch): string {
  switch (code) {
    case 'wrongStatus':
      return l10n.t`expected ${String(expected)}, but the job is ${String(actual)}`;
    case 'missingValue':
      return l10n.t`expected ${valueText(expected)}, but there is no value`;
    case 'wrongType':
      return l10n.t`expected ${valueText(expected)}, but it is the ${jsonTypeOf(actual)} ${valueText(actual)}`;
    case 'wrongValue':
      return l10n.t`expected ${valueText(expected)}, but it is ${valueText(actual)}`;
    case 'wrongLength':
      return l10n.t`expected a list of length ${String(expected)}, but its length is ${String(actual)}`;
    case 'wrongError':
      return actual === undefined
        ? l10n.t`expected an error with ${valueText(expected)}, but the job has no error`
        : l10n.t`expected an error with ${valueText(expected)}, but it is ${valueText(actual)}`;
    case 'schemaViolation':
      return l10n.t`violates the JSON schema: ${String(expected)}`;
    case 'unusableSchema':
      return l10n.t`the JSON schema cannot be used: ${String(actual)}`;
    case 'stoppedSchema':
      return l10n.t`the check with the JSON schema was stopped after ${String(actual)} ms`;
    case 'tooSlow':
      return l10n.t`expected at most ${String(expected)} ms, but the job took ${String(actual)} ms`;
    case 'noExecutionTime':
      return l10n.t`expected at most ${String(expected)} ms, but the platform reported no execution time`;
    case 'wrongResponseStatus':
      return l10n.t`expected the status ${String(expected)}, but it is ${String(actual)}`;
    case 'noResponse':
      return l10n.t`there was no response within ${String(expected)} ms`;
    case 'neverEnded':
      return l10n.t`the job was still ${String(actual)} after ${String(expected)} ms and was canceled`;
  }
}

/** Returns a value as JSON on one line. A long value is cut. */
function valueText(value: unknown): string {
  const text = jsonText(value, 0);
  return text.length <= MAX_VALUE_LENGTH
    ? text
    : `${text.slice(0, MAX_VALUE_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Serializes a value, which can be nested too deeply for `JSON.stringify`. */
export function jsonText(value: unknown, indent = 2): string {
  try {
    return value === undefined ? 'undefined' : JSON.stringify(value, null, indent);
  } catch {
    return l10n.t('(a value that is nested too deeply to be shown)');
  }
}

/** Returns the name of a value's type in JSON, such as `list` or `number`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
