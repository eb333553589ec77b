import assert from 'node:assert/strict';
import { hostedEnvironment } from '../../../src/agents/model/mcpServerSetup.ts';

describe('The environment of an MCP server for a hosted platform', () => {
  const connection = { baseUrl: 'b', restUrl: 'r', queueUrl: 'q', endpointHost: 'h', apiKey: 'key' };
  const variables = {
    ...{ CLOUD_COMPUTE_BASE_URL: 'b', CLOUD_COMPUTE_REST_URL: 'r', CLOUD_COMPUTE_QUEUE_URL: 'q' },
    CLOUD_COMPUTE_ENDPOINT_HOST: 'h',
  };

  it('has its addresses, but not its key', () => {
    assert.deepEqual(hostedEnvironment(connection), variables);
  });

  it('has the team only if the connection has one', () => {
    assert.deepEqual(hostedEnvironment({ ...connection, teamId: 't' }), { ...variables, CLOUD_COMPUTE_TEAM_ID: 't' });
  });
});
