import assert from 'node:assert/strict';
import { isolated } from '../../src/text/shownText.ts';

describe('Text from right to left', () => {
  for (const name of ['נקודה-2', 'نموذج 7B', 'mixed שם'])
    it(`is isolated from the text next to it: ${name}`, () => {
      assert.equal(isolated(name), `\u2068${name}\u2069`);
    });

  it('leaves other text unchanged', () => {
    assert.equal(isolated('hello – 你好 – ελ'), 'hello – 你好 – ελ');
  });
});
