import assert from 'node:assert/strict';
import fc from 'fast-check';
import { junitReporter } from '../../../src/cli/tests/report/junit.ts';
import { ReportWriter } from '../../../src/cli/tests/testCommand.ts';
import type { Reporter, TestResult } from '../../../src/cli/tests/report/result.ts';
import { tapReporter } from '../../../src/cli/tests/report/tap.ts';
import type { Mismatch } from '../../../src/features/jobs/model/expectations/mismatch.ts';
import { parseTap } from './tapParser.ts';
import { parseXml } from './xml.ts';

const mismatch: Mismatch = {
  code: 'wrongValue',
  path: ['output', 'a'],
  member: ['expect', 'output', 'a'],
  expected: 1,
  actual: 2,
};
const result = (changes: Partial<TestResult> = {}): TestResult => ({
  path: 'a.job.json',
  endpoint: 'hello',
  outcome: 'passed',
  durationMs: 1_250,
  mismatches: [],
  log: [],
  ...changes,
});
const failed = (changes: Partial<TestResult> = {}) => result({ outcome: 'failed', mismatches: [mismatch], ...changes });

function reportOf(reporter: Reporter, results: readonly TestResult[], bailOut?: string): string {
  const writer = new ReportWriter(reporter, results);
  for (const one of results.toReversed()) writer.add(one, one);
  return writer.end(bailOut);
}

/** Text with the characters that formats give a meaning. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '#',
      '\\',
      '<',
      '>',
      '&',
      '"',
      "'",
      '\n',
      '\r',
      '\t',
      '\0',
      '\x1b',
      '\x7f',
      '\x9b',
      '\u2028',
      ']]>',
      ':',
      '-',
      '.',
      '\ud800',
      '\ufffe',
    ),
    fc.string(),
  ),
  maxLength: 30,
});

describe('TAP report', () => {
  it('contains the tests in their order, with diagnostics', () => {
    const tap = parseTap(
      reportOf(tapReporter(), [
        result(),
        failed({ path: 'b.job.json', log: ['line 1', '...'], jobId: 'j', workerId: 'w' }),
      ]),
    );
    assert.deepEqual([tap.plan, tap.bailOut], [2, undefined]);
    assert.deepEqual(
      tap.tests.map(({ ok, description }) => [ok, description]),
      [
        [true, 'a.job.json'],
        [false, 'b.job.json'],
      ],
    );
    assert.deepEqual(tap.tests[0]?.diagnostics, { duration_ms: 1_250, endpoint: 'hello' });
    assert.deepEqual(tap.tests[1]?.diagnostics, {
      severity: 'fail',
      duration_ms: 1_250,
      endpoint: 'hello',
      job: 'j',
      worker: 'w',
      mismatches: [{ at: '$.output.a', code: 'wrongValue', message: '$.output.a: expected 1, but it is 2' }],
      log: ['line 1', '...'],
    });
  });

  it('has only the tests with a result, of all that were planned', () => {
    const writer = new ReportWriter(tapReporter(), [result(), result({ path: 'b.job.json' })]);
    assert.equal(writer.end(undefined), 'TAP version 14\n1..2\n');
    assert.deepEqual(writer.counts, { passed: 0, failed: 0, error: 0 });
  });

  it('ends with the reason if tests did not run', () => {
    assert.equal(parseTap(reportOf(tapReporter(), [], 'no model # file')).bailOut, 'no model # file');
  });

  it('can be parsed whatever the texts contain', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.array(hostile), (path, reason, log) => {
        const text = reportOf(tapReporter(), [result({ path, outcome: 'error', reason, log })], reason);
        // A terminal would act on them.
        assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        const tap = parseTap(text);
        assert.equal(tap.tests.length, 1);
        assert.equal(tap.tests[0]?.ok, false);
      }),
    );
  });
});

describe('JUnit report', () => {
  it('has a suite for each endpoint, with totals', async () => {
    const results = [
      result(),
      failed({ path: 'b.job.json', log: ['<line>'] }),
      result({ path: 'c.job.json', endpoint: 'other', outcome: 'error', reason: 'no "file" & more' }),
    ];
    const root = await parseXml(reportOf(junitReporter(), results));
    assert.deepEqual(
      [root['#name'], root.$],
      ['testsuites', { name: 'cloud-compute', tests: '3', failures: '1', errors: '1', time: '3.750' }],
    );
    const [hello, other] = root.$$ ?? [];
    assert.deepEqual(hello?.$, { name: 'hello', tests: '2', failures: '1', errors: '0', time: '2.500' });
    const [passed, wrong] = hello.$$ ?? [];
    assert.deepEqual(passed?.$, { name: 'a.job.json', classname: 'hello', file: 'a.job.json', time: '1.250' });
    assert.equal(passed.$$, undefined);
    assert.deepEqual(
      wrong?.$$?.map((child) => [child['#name'], child.$, child._]),
      [
        [
          'failure',
          { type: 'wrongValue', message: '$.output.a: expected 1, but it is 2' },
          '$.output.a: expected 1, but it is 2',
        ],
        ['system-out', undefined, '<line>'],
      ],
    );
    assert.deepEqual(other?.$$?.[0]?.$$?.[0]?.$, { type: 'cannotRun', message: 'no "file" & more' });
  });

  it('escapes the characters of XML, and white space in attributes', () => {
    const path = `a<>&"'\t\n\r`;
    assert.equal(
      reportOf(junitReporter(), [result({ path, endpoint: 'e', outcome: 'error', log: [`<>&"'\t\r`, '\0'] })]),
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<testsuites name="cloud-compute" tests="1" failures="0" errors="1" time="1.250">' +
        '<testsuite name="e" tests="1" failures="0" errors="1" time="1.250">' +
        '<testcase name="a&lt;&gt;&amp;&quot;&apos;&#9;&#10;&#13;" classname="e" file="a&lt;&gt;&amp;&quot;&apos;&#9;&#10;&#13;" time="1.250">' +
        '<error type="cannotRun" message=""></error>' +
        '<system-out>&lt;&gt;&amp;&quot;&apos;\t&#13;\n\ufffd</system-out>' +
        '</testcase></testsuite></testsuites>\n',
    );
  });

  it('contains an error if tests did not run', async () => {
    const root = await parseXml(reportOf(junitReporter(), [], 'no model'));
    assert.equal(root.$?.['errors'], '1');
    assert.equal(root.$$?.[0]?.$$?.[0]?.$$?.[0]?.$?.['message'], 'no model');
  });

  it('is well-formed whatever the texts contain', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, fc.array(hostile), async (path, reason, log) => {
        const root = await parseXml(reportOf(junitReporter(), [result({ path, outcome: 'error', reason, log })]));
        const name = root.$$?.[0]?.$$?.[0]?.$?.['name'];
        if (/^[\w\n\t<>&"'#\\ -]*$/.test(path)) assert.equal(name, path);
      }),
    );
  });
});
