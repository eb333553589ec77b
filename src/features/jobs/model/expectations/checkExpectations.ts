import type { Job } from '../../../../contract/job.ts';
import type { Expectation } from '../../../../contract/jobFile.ts';
import { parseWorkerError } from '../../../../contract/workerError.ts';
import { isObject } from '../jobInput.ts';
import { jsonTypeOf, MAX_MISMATCHES, type Mismatch, type JsonPath } from './mismatch.ts';

/** Returns the status that a job file expects: by default COMPLETED, or FAILED if the file expects an error. */
function expectedStatus({ status, error }: Expectation): string {
  return status ?? (error === undefined ? 'COMPLETED' : 'FAILED');
}

/** Returns the expectations that an ended job violates, at most `MAX_MISMATCHES`. Does not check the JSON schema: see checkOutputSchema.ts. */
export function checkExpectations(expect: Expectation, job: Job): readonly Mismatch[] {
  return [
    ...checkStatus(expect, job),
    ...checkError(expect, job),
    ...checkOutput(expect, job),
    ...checkTime(expect, job),
  ].slice(0, MAX_MISMATCHES);
}

function checkStatus(expect: Expectation, { status }: Job): Mismatch[] {
  const expected = expectedStatus(expect);
  if (status === expected) return [];
  const member = expect.status === undefined ? ['expect'] : ['expect', 'status'];
  return [{ code: 'wrongStatus', path: ['status'], member, expected, actual: status }];
}

function checkError({ error: expected }: Expectation, { error: actual }: Job): Mismatch[] {
  if (expected === undefined || errorTexts(actual).some((text) => text.includes(expected))) return [];
  return [{ code: 'wrongError', path: ['error'], member: ['expect', 'error'], expected, actual }];
}

/** Returns the texts of an error. In the error itself, an SDK can have escaped its message as JSON. */
function errorTexts(error: string | undefined): readonly string[] {
  const { type, message, traceback } = parseWorkerError(error) ?? {};
  return [error, type, message, traceback].filter((text) => text !== undefined);
}

function checkOutput(expect: Expectation, { output }: Job): Mismatch[] {
  if (expect.output === undefined) return [];
  // Platforms omit an output of null.
  const actual = output === undefined && expect.output === null ? null : output;
  return subsetMismatches(expect.output, actual, ['output']).map((found) => ({
    ...found,
    member: ['expect', ...found.path],
  }));
}

function checkTime({ maxExecutionTime: expected }: Expectation, job: Job): Mismatch[] {
  if (expected === undefined) return [];
  const { executionTime: actual } = job;
  const at = { path: ['executionTime'], member: ['expect', 'maxExecutionTime'], expected, actual };
  if (actual === undefined) return hasRun(job) ? [{ code: 'noExecutionTime', ...at }] : [];
  return actual > expected ? [{ code: 'tooSlow', ...at }] : [];
}

/** Returns whether a worker took the job. A job that expired in the queue has no execution time. */
function hasRun({ status, workerId }: Job): boolean {
  return workerId !== undefined || status === 'COMPLETED';
}

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
  if (isObject(expected)) return objectMismatches(expected, actual as JsonObject, path);
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

type JsonObject = Readonly<Record<string, unknown>>;
