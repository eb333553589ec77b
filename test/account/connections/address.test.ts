import assert from 'node:assert/strict';
import {
  addressesFrom,
  addressProblem,
  endpointHostFrom,
  endpointHostProblem,
} from '../../../src/account/connections/model/address.ts';

describe('addressProblem and endpointHostProblem', () => {
  for (const address of [
    'https://api.example.com',
    ' https://api.example.com/ ',
    'http://127.0.0.1:8787',
    'http://localhost:1/queue/v2',
    'http://[::1]:1',
    'api.example.com',
    'api.example.com:8443/v2',
    'localhost:8787',
  ]) {
    it(`accepts “${address}”`, () => assert.equal(addressProblem(address), undefined));
  }

  it('accepts a placeholder for the endpoint id in the host', () => {
    assert.equal(addressProblem('https://{endpoint_id}.api.example.com'), undefined);
  });

  for (const address of ['http://api.example.com', 'http://127.0.0.1.example.com', 'ftp://api.example.com']) {
    it(`rejects ${address}, which is not encrypted`, () => {
      assert.match(addressProblem(address) ?? '', /unencrypted/);
    });
  }

  for (const address of ['', 'two words', 'data:text', 'https://']) {
    it(`rejects “${address}”, which is not a URL`, () => assert.match(addressProblem(address) ?? '', /https:/));
  }

  it('rejects a user name, password, query, or fragment', () => {
    assert.match(addressProblem('https://me:secret@api.example.com') ?? '', /password/);
    assert.match(addressProblem('https://api.example.com?key=1') ?? '', /path/);
    assert.match(addressProblem('https://api.example.com/#a') ?? '', /path/);
  });

  it('requires a placeholder in the address of load-balanced endpoints', () => {
    assert.equal(endpointHostProblem('https://{endpoint_id}.api.example.com'), undefined);
    assert.match(endpointHostProblem('https://api.example.com') ?? '', /\{endpoint_id\}/);
    assert.match(endpointHostProblem('http://{endpoint_id}.example.com') ?? '', /unencrypted/);
  });
});

describe('addressesFrom and endpointHostFrom', () => {
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
    'api.example.com',
    'api.example.com/v2/',
  ]) {
    it(`derives the addresses of a hosted platform from ${address}`, () =>
      assert.deepEqual(addressesFrom(address), hosted));
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
    '127.0.0.1:8787',
  ]) {
    it(`derives the addresses of a local platform from ${address}`, () =>
      assert.deepEqual(addressesFrom(address), local));
  }

  const team = {
    baseUrl: 'https://compute.example.com',
    restUrl: 'https://compute.example.com',
    queueUrl: 'https://compute.example.com/queue/v2',
    endpointHost: 'https://compute.example.com/endpoints/{endpoint_id}',
  };
  for (const address of [
    'https://compute.example.com/queue/v2',
    ' https://compute.example.com/queue/v2/ ',
    'https://compute.example.com/endpoints/{endpoint_id}',
  ]) {
    it(`derives the addresses of a team's local platform from ${address}`, () =>
      assert.deepEqual(addressesFrom(address), team));
  }

  it('derives the address of load-balanced endpoints from the queue of a local platform', () => {
    assert.equal(endpointHostFrom(team.queueUrl), team.endpointHost);
  });

  it('keeps the path prefix of a platform', () => {
    assert.equal(
      addressesFrom('https://gateway.example.com/cloud/v2').queueUrl,
      'https://gateway.example.com/cloud/v2',
    );
    assert.equal(addressesFrom('https://gateway.example.com/cloud').baseUrl, 'https://gateway.example.com/cloud');
  });

  it('derives the address of load-balanced endpoints from a queue on another host', () => {
    assert.equal(endpointHostFrom('https://api.example.ai/v2'), 'https://{endpoint_id}.api.example.ai');
  });
});
