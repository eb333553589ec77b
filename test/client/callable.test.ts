import assert from 'node:assert/strict';
import { CALLABLE_IDS } from '../../src/client/callable.ts';
import { contextOf } from '../../src/client/context.ts';
import { apiMethods } from '../../src/client/methods.ts';

describe('the callable operations', () => {
  it('are the operations with a JSON response', () => {
    const addresses = { baseUrl: '', restUrl: '', queueUrl: '', endpointHost: '', apiKey: '' };
    const methods = apiMethods(contextOf({ connection: addresses, fetch: globalThis.fetch }));
    assert.deepEqual([...CALLABLE_IDS].sort(), Object.keys(methods).sort());
  });
});
