import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Job } from '../../../../../src/contract/job.ts';
import type { Expectation } from '../../../../../src/contract/jobFile.ts';
import {
  checkExpectations,
  subsetMismatches,
} from '../../../../../src/features/jobs/model/expectations/checkExpectations.ts';
import {
  MAX_MISMATCHES,
  pathText,
  mismatchWords,
} from '../../../../../src/features/jobs/model/expectations/mismatch.ts';

const completed = (changes: Partial<Job> = {}): Job => ({ id: 'j', status: 'COMPLETED', ...changes });

/** Returns the mismatches as `code path-in-job path-in-file`. */
function mismatches(expect: Expectation, job: Job): string[] {
  return checkExpectations(expect, job).map(
    ({ code, path, member }) => `${code} ${pathText(path)} ${pathText(member)}`,
  );
}

describe('Expectations of a job file', () => {
  it('accept any completed job if they are empty', () => {
    assert.deepEqual(mismatches({}, completed({ output: { any: 1 } })), []);
    assert.deepEqual(mismatches({}, completed()), []);
  });

  it('expect a completed job by default, and a failed one with an error', () => {
    assert.deepEqual(mismatches({}, { id: 'j', status: 'FAILED', error: 'no' }), ['wrongStatus $.status $.expect']);
    assert.deepEqual(mismatches({ error: 'no' }, { id: 'j', status: 'FAILED', error: 'oh no' }), []);
    assert.deepEqual(mismatches({ error: 'no', status: 'TIMED_OUT' }, { id: 'j', status: 'FAILED', error: 'no' }), [
      'wrongStatus $.status $.expect.status',
    ]);
  });

  it('find each place where the output lacks the expected part', () => {
    const expect = { output: { items: [{ name: 'a' }, { name: 'b' }], size: 2, 'a key': null } };
    const output = { items: [{ name: 'a', more: 1 }, { name: 'c' }], size: '2', extra: true };
    assert.deepEqual(mismatches(expect, completed({ output })), [
      'wrongValue $.output.items[1].name $.expect.output.items[1].name',
      'wrongType $.output.size $.expect.output.size',
      'missingValue $.output["a key"] $.expect.output["a key"]',
    ]);
  });

  it('compare the lengths of lists, and their shared items', () => {
    assert.deepEqual(mismatches({ output: [1, 2] }, completed({ output: [3] })), [
      'wrongLength $.output $.expect.output',
      'wrongValue $.output[0] $.expect.output[0]',
    ]);
    assert.deepEqual(mismatches({ output: [] }, completed({ output: [1] })), ['wrongLength $.output $.expect.output']);
  });

  it('distinguish null from a missing value, except for the whole output', () => {
    assert.deepEqual(mismatches({ output: { a: null } }, completed({ output: {} })), [
      'missingValue $.output.a $.expect.output.a',
    ]);
    assert.deepEqual(mismatches({ output: null }, completed()), []);
    assert.deepEqual(mismatches({ output: null }, completed({ output: 1 })), ['wrongType $.output $.expect.output']);
    assert.deepEqual(mismatches({ output: {} }, completed()), ['missingValue $.output $.expect.output']);
  });

  it('ignore inherited members', () => {
    assert.deepEqual(mismatches({ output: { constructor: {} } }, completed({ output: {} })), [
      'missingValue $.output.constructor $.expect.output.constructor',
    ]);
    const output = JSON.parse('{"__proto__": {"a": 1}}') as unknown;
    assert.deepEqual(mismatches({ output: JSON.parse('{"__proto__": {"a": 2}}') as unknown }, completed({ output })), [
      'wrongValue $.output.__proto__.a $.expect.output.__proto__.a',
    ]);
  });

  it('find text in an error, also in one that an SDK has escaped', () => {
    const error = JSON.stringify({ error_type: "<class 'ValueError'>", error_message: 'bad "name"\nline 2' });
    const failed: Job = { id: 'j', status: 'FAILED', error };
    assert.deepEqual(mismatches({ error: 'bad "name"\nline' }, failed), []);
    assert.deepEqual(mismatches({ error: 'ValueError' }, failed), []);
    assert.deepEqual(mismatches({ error: 'KeyError' }, failed), ['wrongError $.error $.expect.error']);
    assert.deepEqual(mismatches({ error: 'x' }, { id: 'j', status: 'FAILED' }), ['wrongError $.error $.expect.error']);
  });

  it('limit the execution time of a job that ran', () => {
    const expect = { maxExecutionTime: 100 };
    assert.deepEqual(mismatches(expect, completed({ executionTime: 100 })), []);
    assert.deepEqual(mismatches(expect, completed({ executionTime: 101 })), [
      'tooSlow $.executionTime $.expect.maxExecutionTime',
    ]);
    assert.deepEqual(mismatches(expect, completed()), ['noExecutionTime $.executionTime $.expect.maxExecutionTime']);
    assert.deepEqual(mismatches({ ...expect, status: 'TIMED_OUT' }, { id: 'j', status: 'TIMED_OUT' }), []);
  });

  it('report a limited number of mismatches', () => {
    const list = Array.from({ length: 1_000 }, (_, index) => index);
    const output = list.map((value) => value + 1);
    assert.equal(checkExpectations({ output: list }, completed({ output })).length, MAX_MISMATCHES);
  });

  it('have words with the expected and the actual value', () => {
    const words = (expect: Expectation, job: Job) => checkExpectations(expect, job).map(mismatchWords);
    assert.deepEqual(words({ output: { a: 'x'.repeat(500) } }, completed({ output: { a: 1 } })), [
      `$.output.a: expected "${'x'.repeat(118)}…, but it is the number 1`,
    ]);
    assert.deepEqual(words({}, { id: 'j', status: 'FAILED' }), ['$.status: expected COMPLETED, but the job is FAILED']);
  });
});

describe('Subset of JSON', () => {
  it('contains each JSON value in itself, also one with NaN', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.deepEqual(subsetMismatches(value, value, []), [])));
    assert.deepEqual(subsetMismatches([NaN], [NaN], []), []);
  });

  it('contains an object with fewer members, at any depth', () => {
    const thinned = (value: unknown, keep: () => boolean): unknown => {
      if (Array.isArray(value)) return value.map((item) => thinned(item, keep));
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).filter(() => keep());
      return Object.fromEntries(members.map(([name, member]) => [name, thinned(member, keep)]));
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.boolean()), (value, choices) => {
        const part = thinned(value, () => choices.next().value as boolean);
        assert.deepEqual(subsetMismatches(part, value, []), []);
      }),
    );
  });

  it('finds a changed leaf at its path and nowhere else', () => {
    const paths = fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 6 });
    fc.assert(
      fc.property(paths, (path) => {
        const around = (leaf: unknown) =>
          path.reduceRight<unknown>(
            (value, segment) =>
              typeof segment === 'number'
                ? Array.from({ length: 4 }, (_, index) => (index === segment ? value : 0))
                : Object.fromEntries([[segment, value]]),
            leaf,
          );
        const found = subsetMismatches(around('old'), around('new'), []);
        assert.deepEqual(
          found.map((one) => one.path),
          [path],
        );
      }),
    );
  });
});
