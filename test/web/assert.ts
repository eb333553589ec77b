import isEqual from 'fast-deep-equal';

/* The part of `node:assert/strict` that the tests in a browser use. */

const fail = (message: string): never => {
  throw new Error(message);
};

const shown = (value: unknown): string => JSON.stringify(value, undefined, 2);

function ok(value: unknown, message = `${shown(value)} is not true`): asserts value {
  if (!value) fail(message);
}

function equal(actual: unknown, expected: unknown, message = 'The values differ'): void {
  if (!Object.is(actual, expected)) fail(`${message}: ${shown(actual)} instead of ${shown(expected)}`);
}

function deepEqual(actual: unknown, expected: unknown, message = 'The values differ'): void {
  if (!isEqual(actual, expected)) fail(`${message}: ${shown(actual)} instead of ${shown(expected)}`);
}

function match(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) fail(`${shown(text)} does not match ${pattern.source}`);
}

export default { ok, equal, deepEqual, match, fail };
