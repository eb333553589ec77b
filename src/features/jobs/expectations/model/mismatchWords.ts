import { jsonTypeOf } from './jsonSubset.ts';
import { pathText, type Mismatch } from './mismatch.ts';

const MAX_VALUE_LENGTH = 120;

/** Describes a violated expectation in one line, such as `$.output.name: expected "a", but it is "b"`. The values are foreign text. */
export function mismatchWords(mismatch: Mismatch): string {
  return `${pathText(mismatch.path)}: ${withoutPath(mismatch)}`;
}

function withoutPath({ code, expected, actual }: Mismatch): string {
  switch (code) {
    case 'wrongStatus':
      return `expected ${String(expected)}, but the job is ${String(actual)}`;
    case 'missingValue':
      return `expected ${valueText(expected)}, but there is no value`;
    case 'wrongType':
      return `expected ${valueText(expected)}, but it is the ${jsonTypeOf(actual)} ${valueText(actual)}`;
    case 'wrongValue':
      return `expected ${valueText(expected)}, but it is ${valueText(actual)}`;
    case 'wrongLength':
      return `expected a list of length ${String(expected)}, but its length is ${String(actual)}`;
    case 'wrongError':
      return actual === undefined
        ? `expected an error with ${valueText(expected)}, but the job has no error`
        : `expected an error with ${valueText(expected)}, but it is ${valueText(actual)}`;
    case 'schemaViolation':
      return `violates the JSON schema: ${String(expected)}`;
    case 'unusableSchema':
      return `the JSON schema cannot be used: ${String(actual)}`;
    case 'tooSlow':
      return `expected at most ${String(expected)} ms, but the job took ${String(actual)} ms`;
    case 'noExecutionTime':
      return `expected at most ${String(expected)} ms, but the platform reported no execution time`;
    case 'neverEnded':
      return `the job was still ${String(actual)} after ${String(expected)} ms and was canceled`;
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
    return '(a value that is nested too deeply to be shown)';
  }
}
