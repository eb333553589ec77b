import assert from 'node:assert/strict';
import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../../../src/contract/job.ts';
import { checkJobFile } from '../../../../src/features/jobs/model/checkJobFile.ts';
import { fixesOf } from '../../../../src/features/jobs/model/jobFileFixes.ts';

const problems = (text: string) =>
  checkJobFile(text).problems.map(({ code, severity, start, end, message }) => [
    code,
    severity,
    text.slice(start, end),
    message,
  ]);

function fixed(text: string): Record<string, string> {
  const checked = checkJobFile(text);
  const fixes = checked.problems.flatMap((problem) => fixesOf(checked, problem));
  return Object.fromEntries(
    fixes.map(({ title, changes, isPreferred }) => [
      isPreferred ? `* ${title}` : title,
      [...changes]
        .reverse()
        .reduce((left, { start, end, text: to }) => left.slice(0, start) + to + left.slice(end), text),
    ]),
  );
}

describe('The check of a job file', () => {
  it('returns the request of a valid file, without the members for the editor', () => {
    const checked = checkJobFile('{ // c\n "endpoint": "e", "input": {"a": 1}, "expect": {}, }');
    assert.deepEqual(checked.problems, []);
    assert.equal(checked.endpoint, 'e');
    assert.deepEqual(checked.request, { input: { a: 1 } });
  });

  it('reports a syntax error at its place', () => {
    assert.deepEqual(problems('{"input": tru}'), [
      ['syntax', 'error', 'tru', 'Invalid JSON: this is not a value; strings need double quotes'],
    ]);
    assert.equal(problems('{"input": {')[0]?.[0], 'syntax');
    assert.equal(problems(' \n')[0]?.[0], 'emptyFile');
  });

  it('reports each violation of the contract at its place', () => {
    assert.deepEqual(problems('{"inptu": {}, "policy": {"ttl": 5}, "expect": {"status": "DONE"}}'), [
      ['missingField', 'error', '{', "'input' is missing: expected an object"],
      ['tooSmall', 'error', '5', 'policy.ttl: must be at least 10000'],
      [
        'notOneOf',
        'error',
        '"DONE"',
        'expect.status: must be one of IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, CANCELLED, TIMED_OUT',
      ],
      ['unknownField', 'error', '"inptu"', "Unknown property 'inptu'; did you mean 'input'?"],
    ]);
    assert.equal(problems('[]')[0]?.[0], 'wrongType');
    assert.equal(problems('{"input": []}')[0]?.[2], '[]');
  });

  it('warns about an empty input', () => {
    assert.deepEqual(problems('{"input": {}}')[0]?.slice(0, 3), ['emptyInput', 'warning', '{}']);
  });

  it('warns above the limit of Run, and rejects above the limit of Run and Wait', () => {
    const of = (bytes: number) => problems(`{"input": {"a": "${'x'.repeat(bytes)}"}} // comment`)[0]?.slice(0, 3);
    assert.equal(of(MAX_RUN_BYTES - 100), undefined);
    assert.deepEqual(of(MAX_RUN_BYTES), ['tooLarge', 'warning', '"input"']);
    assert.deepEqual(of(MAX_RUN_SYNC_BYTES), ['tooLarge', 'error', '"input"']);
  });
});

describe('The corrections of a job file', () => {
  it('rename or remove an unknown property', () => {
    const text = '{\n  // a\n  "inptu": { "a": 1 },\n  "webhook": "https://a.example"\n}\n';
    assert.deepEqual(fixed(text), {
      "Add 'input'": text.replace('example"', 'example",\n  "input": {}'),
      "* Change to 'input'": text.replace('inptu', 'input'),
      "Remove 'inptu'": text.replace('\n  // a\n  "inptu": { "a": 1 },', ''),
    });
    assert.ok("* Change to 'maxExecutionTime'" in fixed('{"input": {"a": 1}, "expect": {"maxExecutionTme": 5}}'));
  });

  it('do not offer a name that the object already has', () => {
    assert.deepEqual(Object.keys(fixed('{"input": {"a": 1}, "inputs": {}}')), ["* Remove 'inputs'"]);
  });

  it('replace a value by an allowed one', () => {
    const text = '{"input": {"a": 1}, "expect": {"status": "COMPLETE"}}';
    assert.equal(fixed(text)["* Change to 'COMPLETED'"], text.replace('COMPLETE', 'COMPLETED'));
  });
});
