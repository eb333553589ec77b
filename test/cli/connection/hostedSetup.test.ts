import assert from 'node:assert/strict';
import { hostedSetup } from '../../../src/cli/connection/hostedSetup.ts';

describe('The hosted platform in environment variables', () => {
  const base = { CLOUD_COMPUTE_BASE_URL: 'https://api.example.com', CLOUD_COMPUTE_API_KEY: 'key' };

  const problemOf = (environment: NodeJS.ProcessEnv): string => {
    const setup = hostedSetup(environment);
    return setup && 'problem' in setup ? setup.problem : assert.fail(JSON.stringify(setup));
  };

  it('does not exist without an address, even with a key', () => {
    assert.equal(hostedSetup({}), undefined);
    assert.equal(hostedSetup({ CLOUD_COMPUTE_API_KEY: 'key', CLOUD_COMPUTE_TEAM_ID: 'team' }), undefined);
    assert.equal(hostedSetup({ CLOUD_COMPUTE_BASE_URL: '  ', CLOUD_COMPUTE_QUEUE_URL: '' }), undefined);
  });

  it('has addresses that are derived from its base URL, and no team', () => {
    assert.deepEqual(hostedSetup({ ...base, CLOUD_COMPUTE_BASE_URL: ' https://api.example.com/ ' }), {
      connection: {
        baseUrl: 'https://api.example.com',
        restUrl: 'https://api.example.com',
        queueUrl: 'https://api.example.com/v2',
        endpointHost: 'https://{endpoint_id}.api.example.com',
        apiKey: 'key',
        teamId: undefined,
      },
    });
  });

  it('uses the addresses and the team of the other variables instead, without spaces and slashes at their ends', () => {
    assert.deepEqual(
      hostedSetup({
        ...base,
        CLOUD_COMPUTE_REST_URL: 'https://rest.example.org/',
        CLOUD_COMPUTE_QUEUE_URL: ' https://queue.example.net/v2/ ',
        CLOUD_COMPUTE_ENDPOINT_HOST: 'https://{endpoint_id}.web.example.com/',
        CLOUD_COMPUTE_TEAM_ID: ' team ',
      }),
      {
        connection: {
          baseUrl: 'https://api.example.com',
          restUrl: 'https://rest.example.org',
          queueUrl: 'https://queue.example.net/v2',
          endpointHost: 'https://{endpoint_id}.web.example.com',
          apiKey: 'key',
          teamId: 'team',
        },
      },
    );
  });

  it('derives the address of load-balanced endpoints from the address of the queue', () => {
    const setup = hostedSetup({ ...base, CLOUD_COMPUTE_QUEUE_URL: 'https://queue.example.net/v2' });
    assert.ok(setup && 'connection' in setup);
    assert.equal(setup.connection.endpointHost, 'https://{endpoint_id}.queue.example.net');
    assert.equal(setup.connection.restUrl, 'https://api.example.com');
  });

  it('names the variable that is missing or invalid', () => {
    for (const name of ['REST_URL', 'QUEUE_URL', 'ENDPOINT_HOST'])
      assert.match(
        problemOf({ [`CLOUD_COMPUTE_${name}`]: 'https://{endpoint_id}.example.com' }),
        /^CLOUD_COMPUTE_BASE_URL is missing/,
      );
    assert.match(problemOf({ ...base, CLOUD_COMPUTE_API_KEY: ' ' }), /^CLOUD_COMPUTE_API_KEY is missing/);
    for (const name of ['BASE_URL', 'REST_URL', 'QUEUE_URL', 'ENDPOINT_HOST'])
      assert.match(
        problemOf({ ...base, [`CLOUD_COMPUTE_${name}`]: 'http://{endpoint_id}.example.com' }),
        new RegExp(`^CLOUD_COMPUTE_${name} is invalid\\. The key would be sent unencrypted`),
      );
    assert.match(
      problemOf({ ...base, CLOUD_COMPUTE_ENDPOINT_HOST: 'https://example.com' }),
      /^CLOUD_COMPUTE_ENDPOINT_HOST is invalid\..*\{endpoint_id\}/,
    );
  });
});
