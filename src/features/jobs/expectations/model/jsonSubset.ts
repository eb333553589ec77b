import type { JsonPath, Mismatch } from './mismatch.ts';

type Found = Omit<Mismatch, 'member'>;

/**
 * Returns where a JSON value does not contain another one. An object can have more members than expected. A list has the same length, and each
 * item contains the expected item. Other values are equal; NaN equals NaN.
 *
 * @param path path of the value, with which the paths of the results begin
 */
export function subsetMismatches(expected: unknown, actual: unknown, path: JsonPath): readonly Found[] {
  if (actual === undefined) return [{ code: 'missingValue', path, expected, actual }];
  const [wanted, found] = [jsonTypeOf(expected), jsonTypeOf(actual)];
  if (wanted !== found) return [{ code: 'wrongType', path, expected, actual }];
  if (Array.isArray(expected)) return listMismatches(expected, actual as unknown[], path);
  if (isJsonObject(expected)) return objectMismatches(expected, actual as JsonObject, path);
  return isEqual(expected, actual) ? [] : [{ code: 'wrongValue', path, expected, actual }];
}

function listMismatches(expected: readonly unknown[], actual: readonly unknown[], path: JsonPath): Found[] {
  const shared = expected
    .slice(0, actual.length)
    .flatMap((item, index) => subsetMismatches(item, itemAt(actual, index), [...path, index]));
  if (expected.length === actual.length) return shared;
  return [{ code: 'wrongLength', path, expected: expected.length, actual: actual.length }, ...shared];
}

/** A list from a program can contain undefined, which JSON writes as null. */
function itemAt(list: readonly unknown[], index: number): unknown {
  return list[index] ?? null;
}

function objectMismatches(expected: JsonObject, actual: JsonObject, path: JsonPath): Found[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    subsetMismatches(value, Object.hasOwn(actual, name) ? actual[name] : undefined, [...path, name]),
  );
}

function isEqual(left: unknown, right: unknown): boolean {
  return left === right || (Number.isNaN(left) && Number.isNaN(right));
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of a value's type in JSON, such as `list` or `number`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
