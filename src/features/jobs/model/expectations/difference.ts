import * as l10n from '@vscode/l10n';
import { isObject } from '../jobInput.ts';
import { subsetMismatches } from './checkExpectations.ts';
import { type Mismatch, jsonText } from './mismatch.ts';

/** Two texts whose comparison shows a violated expectation. */
export interface Difference {
  readonly expected: string;
  readonly actual: string;
}

/** Maximum length of the JSON in which members without an expectation are kept, in UTF-16 code units. */
const MAX_CONTEXT_LENGTH = 50_000;
const MAX_LENGTH = 500_000;

/**
 * Returns the texts to compare for a mismatch. For the output, both are JSON documents that differ only in the violated places: members
 * without an expectation are in both texts, or in none if the output is large. Undefined for a mismatch that two texts do not explain.
 *
 * @param expected expected output
 * @param output output of the job
 */
export function differenceOf(
  mismatch: Mismatch,
  { expected, output }: { expected: unknown; output: unknown },
): Difference | undefined {
  switch (mismatch.code) {
    case 'missingValue':
    case 'wrongType':
    case 'wrongValue':
    case 'wrongLength':
      return output === undefined ? undefined : outputDifference(expected, output);
    case 'wrongStatus':
    case 'wrongResponseStatus':
      return texts(String(mismatch.expected), String(mismatch.actual));
    case 'wrongError':
      return typeof mismatch.actual === 'string' ? texts(String(mismatch.expected), mismatch.actual) : undefined;
    case 'tooSlow':
      return texts(l10n.t`at most ${String(mismatch.expected)} ms`, l10n.t`${String(mismatch.actual)} ms`);
    case 'schemaViolation':
    case 'unusableSchema':
    case 'stoppedSchema':
    case 'noExecutionTime':
    case 'noResponse':
    case 'neverEnded':
      return undefined;
  }
}

function outputDifference(expected: unknown, output: unknown): Difference {
  const whole = jsonText(output);
  const actual = whole.length <= MAX_CONTEXT_LENGTH ? output : expectedPart(expected, output);
  return texts(jsonText(overlay(expected, actual)), jsonText(actual));
}

function texts(expected: string, actual: string): Difference {
  return { expected: expected.slice(0, MAX_LENGTH), actual: actual.slice(0, MAX_LENGTH) };
}

/** Returns the actual value with each violated part replaced by the expected one. */
export function overlay(expected: unknown, actual: unknown): unknown {
  if (subsetMismatches(expected, actual, []).length === 0) return actual;
  if (Array.isArray(expected) && Array.isArray(actual))
    return expected.map((item, index) => (index < actual.length ? overlay(item, actual[index]) : item) as unknown);
  if (!isObject(expected) || !isObject(actual)) return expected;
  const kept = Object.entries(actual).map(([name, value]) => [
    name,
    Object.hasOwn(expected, name) ? overlay(expected[name], value) : value,
  ]);
  const missing = Object.entries(expected).filter(([name]) => !Object.hasOwn(actual, name));
  return Object.fromEntries([...kept, ...missing]);
}

/** Returns the parts of a value that have an expectation. */
function expectedPart(expected: unknown, actual: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual))
    return actual.map(
      (item, index) => (index < expected.length ? expectedPart(expected[index], item) : item) as unknown,
    );
  if (!isObject(expected) || !isObject(actual)) return actual;
  return Object.fromEntries(
    Object.entries(actual)
      .filter(([name]) => Object.hasOwn(expected, name))
      .map(([name, value]) => [name, expectedPart(expected[name], value)]),
  );
}
