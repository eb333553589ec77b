import assert from 'node:assert/strict';
import { phrase, verbatim, words } from '../../src/contract/words.ts';

describe('words of the contract', () => {
  it('keep the template and the values apart, and are English text', () => {
    const text = words`must be at least ${2n} and less than ${'three'}`;
    assert.equal(text.template, 'must be at least {0} and less than {1}');
    assert.deepEqual(text.values, [2n, 'three']);
    assert.equal(String(text), 'must be at least 2 and less than three');
    assert.equal(String(words`must not be empty`), 'must not be empty');
  });

  it('can contain other words, and values that look like placeholders', () => {
    const inner = words`'${'{1}'}' has no valid name`;
    assert.equal(String(words`${inner}; did you mean '${'NAME'}'?`), "'{1}' has no valid name; did you mean 'NAME'?");
  });

  it('can be a whole text, which stays unchanged', () => {
    for (const text of ['must match {0}', '']) {
      assert.equal(String(phrase(text)), text);
      assert.equal(phrase(text).template, text);
      assert.equal(String(verbatim(text)), text);
      assert.equal(verbatim(text).template, '{0}');
    }
  });
});
