import assert from 'node:assert/strict';
import { firstValue } from '../../../../src/features/jobs/model/storedJob.ts';

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
