import assert from 'node:assert/strict';
import {
  addressesFrom,
  addressProblem,
  endpointHostFrom,
  endpointHostProblem,
} from '../../../src/features/connections/address.ts';

describe('an address a key is sent to', () => {
  for (const address of [
    'https://api.example.com',
    ' https://api.example.com/ ',
    'http://127.0.0.1:8787',
    'http://localhost:1/queue/v2',
    'http://[::1]:1',
  ]) {
    it(`may be “${address}”`, () => assert.equal(addressProblem(address), undefined));
  }

  it('may hold the endpoint’s id in its host', () => {
    assert.equal(addressProblem('https://{endpoint_id}.api.example.com'), undefined);
  });

  for (const address of ['http://api.example.com', 'http://127.0.0.1.example.com', 'ftp://api.example.com']) {
    it(`must not be ${address}, unencrypted over the network`, () => {
      assert.match(addressProblem(address) ?? '', /unencrypted/);
    });
  }

  for (const address of ['', 'api.example.com', 'nonsense']) {
    it(`cannot be “${address}”`, () => assert.match(addressProblem(address) ?? '', /https:/));
  }

  it('has no user, password, query or fragment, which would be lost or end up in logs', () => {
    assert.match(addressProblem('https://me:secret@api.example.com') ?? '', /password/);
    assert.match(addressProblem('https://api.example.com?key=1') ?? '', /path/);
    assert.match(addressProblem('https://api.example.com/#a') ?? '', /path/);
  });

  it('of load-balanced endpoints needs a place for their id', () => {
    assert.equal(endpointHostProblem('https://{endpoint_id}.api.example.com'), undefined);
    assert.match(endpointHostProblem('https://api.example.com') ?? '', /\{endpoint_id\}/);
    assert.match(endpointHostProblem('http://{endpoint_id}.example.com') ?? '', /unencrypted/);
  });
});

describe('one address tells the others', () => {
  const hosted = {
    baseUrl: 'https://api.example.com',
    restUrl: 'https://api.example.com',
    queueUrl: 'https://api.example.com/v2',
    endpointHost: 'https://{endpoint_id}.api.example.com',
  };
  for (const address of [
    'https://api.example.com',
    ' https://api.example.com// ',
    'https://api.example.com/v2',
    'https://api.example.com/v1/',
    'https://api.example.com/v2/serverless?',
    'https://{endpoint_id}.api.example.com',
  ]) {
    it(`of a hosted platform, from ${address}`, () => assert.deepEqual(addressesFrom(address), hosted));
  }

  const local = {
    baseUrl: 'http://127.0.0.1:8787',
    restUrl: 'http://127.0.0.1:8787',
    queueUrl: 'http://127.0.0.1:8787/queue/v2',
    endpointHost: 'http://127.0.0.1:8787/endpoints/{endpoint_id}',
  };
  for (const address of [
    'http://127.0.0.1:8787',
    'http://127.0.0.1:8787/queue/v2',
    'http://127.0.0.1:8787/endpoints/{endpoint_id}',
  ]) {
    it(`of a local platform, from ${address}`, () => assert.deepEqual(addressesFrom(address), local));
  }

  it('keeps the path a platform is published at', () => {
    assert.equal(
      addressesFrom('https://gateway.example.com/cloud/v2').queueUrl,
      'https://gateway.example.com/cloud/v2',
    );
    assert.equal(addressesFrom('https://gateway.example.com/cloud').baseUrl, 'https://gateway.example.com/cloud');
  });

  it('and a queue elsewhere tells where load-balanced endpoints are', () => {
    assert.equal(endpointHostFrom('https://api.example.ai/v2'), 'https://{endpoint_id}.api.example.ai');
  });
});
