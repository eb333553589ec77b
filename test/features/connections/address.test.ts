import assert from 'node:assert/strict';
import { addressProblem } from '../../../src/features/connections/address.ts';

describe('an address a key is sent to', () => {
  for (const address of [
    'https://api.example.com',
    'http://127.0.0.1:8787',
    'http://localhost:1/queue/v2',
    'http://[::1]:1',
  ]) {
    it(`may be ${address}`, () => assert.equal(addressProblem(address), undefined));
  }

  it('may hold the endpoint’s id in its host', () => {
    assert.equal(addressProblem('https://{endpoint_id}.api.example.com'), undefined);
  });

  for (const address of ['http://api.example.com', 'http://127.0.0.1.example.com']) {
    it(`must not be ${address}, unencrypted over the network`, () => {
      assert.match(addressProblem(address) ?? '', /unencrypted/);
    });
  }

  for (const address of ['', 'api.example.com', 'nonsense']) {
    it(`cannot be “${address}”`, () => assert.match(addressProblem(address) ?? '', /https:/));
  }
});
