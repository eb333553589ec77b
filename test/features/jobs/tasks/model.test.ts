import assert from 'node:assert/strict';
import { parseTaskDefinition, outputText, terminalLines } from '../../../../src/features/jobs/model/jobTask.ts';

describe('The definition of a task', () => {
  it('names the local platform, or a job file with the connection that it requires', () => {
    assert.deepEqual(parseTaskDefinition({ type: 'cloudCompute', task: 'start platform' }), { task: 'start platform' });
    const job = { task: 'run job', file: 'jobs/hello.job.json', connection: 'Local Platform' };
    assert.deepEqual(parseTaskDefinition({ type: 'cloudCompute', ...job }), job);
  });

  for (const [problem, definition] of Object.entries({
    'an unknown task': { task: 'stop platform' },
    'a job without a file': { task: 'run job' },
    'a job with an empty file': { task: 'run job', file: '' },
    'a file that is not a string': { task: 'run job', file: 5 },
    'no object': 'run job',
  }))
    it(`is invalid with ${problem}`, () => assert.equal(parseTaskDefinition(definition), undefined));
});

describe('The terminal of a task', () => {
  it('shows lines with the line breaks of a terminal', () => {
    assert.equal(terminalLines('one\ntwo\r\nthree\n'), 'one\r\ntwo\r\nthree\r\n');
  });

  it('shows no control sequences of a worker', () => {
    assert.equal(terminalLines('\x1b]52;c;cm0gLXJm\x07safe\x1b[2J \x9b31mtext\u202e'), 'safe text\r\n');
  });

  it('cuts long text', () => {
    const text = terminalLines('x'.repeat(1_000_000));
    assert.ok(text.length < 300_000 && text.endsWith('…\r\n'));
  });

  it('shows a string as it is, and other outputs as JSON with shortened data URLs', () => {
    assert.equal(outputText('hello'), 'hello');
    assert.equal(outputText(42), '42');
    assert.equal(outputText(null), 'null');
    assert.deepEqual(JSON.parse(outputText({ a: [1, { b: 'c' }] })), { a: [1, { b: 'c' }] });
    assert.ok(outputText({ image: `data:image/png;base64,${'A'.repeat(100_000)}` }).length < 200);
  });
});
