import assert from 'node:assert/strict';
import { fileOfJob, jobName, firstValue, type StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';

const at = (hours: number, minutes: number, seconds: number) => new Date(2026, 0, 2, hours, minutes, seconds).getTime();

const job = (id: string, submittedAt: number, change: Partial<StoredJob> = {}): StoredJob => ({
  ...{ id, endpointId: 'e', endpointName: 'hello', submittedAt, status: 'COMPLETED' },
  ...change,
});

describe('Name of a job', () => {
  it('contains the endpoint or the file, and the time', () => {
    const typed = job('1', at(18, 53, 7));
    const sent = job('2', at(8, 5, 0), { file: 'file:///c%3A/work/big%20cat.job.json' });
    assert.equal(jobName(typed, [typed, sent]), 'hello · 18:53');
    assert.equal(jobName(sent, [typed, sent]), 'big cat · 08:05');
    assert.equal(fileOfJob(typed), undefined);
  });

  it('contains the seconds if an earlier job of the same minute has the same name', () => {
    const first = job('1', at(18, 53, 7));
    const second = job('2', at(18, 53, 9));
    const other = job('3', at(18, 53, 8), { endpointName: 'other' });
    const all = [second, other, first];
    assert.deepEqual(
      all.map((one) => jobName(one, all)),
      ['hello · 18:53:09', 'other · 18:53', 'hello · 18:53'],
    );
  });
});

describe('First value of an input', () => {
  it('is the first text, number, or boolean, also of a nested input', () => {
    assert.equal(firstValue({ name: 'world', seconds: 3 }), 'world');
    assert.equal(firstValue({ seconds: 0, name: 'world' }), '0');
    assert.equal(firstValue({ empty: null, text: ' ', messages: [{ dry: false }] }), 'false');
    assert.equal(firstValue('text'), 'text');
  });

  it('is one short line', () => {
    assert.equal(firstValue({ prompt: `a  fox\n\n${'jumps '.repeat(20)}` }), `a fox ${'jumps '.repeat(5)}jum…`);
  });

  it('is never an encoded file or a secret', () => {
    const input = {
      image: `data:image/png;base64,${'A'.repeat(100)}`,
      audio: 'A'.repeat(1_000),
      password: 'hunter2',
      tokens: { api_key: 'abc' },
      size: 7,
    };
    assert.equal(firstValue(input), '7');
  });

  it('is undefined for an input without values', () => {
    for (const input of [undefined, null, {}, [], { a: [{}, ''] }]) assert.equal(firstValue(input), undefined);
  });

  it('is not searched for in a huge input', () => {
    assert.equal(firstValue([...Array.from({ length: 1_000 }, () => null), 'late']), undefined);
  });
});
