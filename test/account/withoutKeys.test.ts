import assert from 'node:assert/strict';
import { boundedOutput } from '../../src/agents/model/boundedOutput.ts';
import { keyRemover } from '../../src/account/withoutKeys.ts';

describe('keyRemover', () => {
  it('removes secrets of at least six characters, without the spaces around them', () => {
    assert.equal(keyRemover(['abc-12'])('is abc-12.'), 'is ….');
    assert.equal(keyRemover(['abc-1'])('is abc-1.'), 'is abc-1.');
    assert.equal(keyRemover([' abc-1 '])('is abc-1 .'), 'is abc-1 .');
  });

  it('removes each of several secrets, and every key that has a known form', () => {
    const key = `AKIA${'A'.repeat(16)}`;
    assert.equal(keyRemover(['secret-one', 'secret-two'])('secret-two, secret-one'), '…, …');
    assert.equal(keyRemover([])(`${key} and ${key}`), '… and …');
  });

  it('leaves texts whole, so that the output counts all characters and keeps the end', () => {
    const bounded = boundedOutput(`${'x'.repeat(1_000_000)}end`, keyRemover(['secret-one'])) as string;
    assert.match(bounded, /^x{15750} … 977503 characters left out … x{6747}end$/);
  });
});
