import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { seed, seedFrom, withSeed } from '../support/seed.ts';

describe('The seed of random values in tests', () => {
  it('is the same in each run', () => {
    assert.equal(seedFrom(undefined), seedFrom(''));
  });

  it('is the integer of the environment variable, or a new one', () => {
    assert.equal(seedFrom('7'), 7);
    assert.equal(seedFrom('-1467838437'), -1_467_838_437);
    assert.notEqual(seedFrom('random'), seedFrom('random'));
    assert.throws(() => seedFrom('today'), /"today"/);
  });

  it('applies to each property, whose failure names it', () => {
    const property = fc.property(fc.nat(), () => false);
    assert.equal(fc.check(property).seed, seed);
    assert.throws(() => fc.assert(property), new RegExp(`seed: ${seed},`));
  });

  it('is named by other failures', async () => {
    const failing = () => Promise.reject(new Error('two results'));
    await assert.rejects(withSeed(failing), new RegExp(`=${seed}: two results`));
  });
});
