import assert from 'node:assert/strict';
import { Pool as PoolOfMainModule } from 'undici';
import { Pool } from '../../src/platform/balancer/undiciPool.ts';

describe('The pool of the load balancer', () => {
  it('is the pool that undici documents, although it is imported from an internal module', () => {
    assert.equal(Pool, PoolOfMainModule);
  });
});
