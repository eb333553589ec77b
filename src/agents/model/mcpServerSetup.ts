import type { Connection } from '../../client/connection.ts';

/* How programs tell the MCP server its platform. */

/** Environment variables of a hosted platform. */
export const HOSTED_VARIABLES = {
  baseUrl: 'CLOUD_COMPUTE_BASE_URL',
  restUrl: 'CLOUD_COMPUTE_REST_URL',
  queueUrl: 'CLOUD_COMPUTE_QUEUE_URL',
  endpointHost: 'CLOUD_COMPUTE_ENDPOINT_HOST',
  apiKey: 'CLOUD_COMPUTE_API_KEY',
  teamId: 'CLOUD_COMPUTE_TEAM_ID',
} as const satisfies Record<keyof Connection, string>;

export type HostedEnvironment = Partial<Record<(typeof HOSTED_VARIABLES)[keyof Connection], string>>;

/** Returns the environment variables of a hosted platform, without the key. */
export function hostedEnvironment(connection: Connection): HostedEnvironment {
  const { baseUrl, restUrl, queueUrl, endpointHost, teamId } = HOSTED_VARIABLES;
  return {
    [baseUrl]: connection.baseUrl,
    [restUrl]: connection.restUrl,
    [queueUrl]: connection.queueUrl,
    [endpointHost]: connection.endpointHost,
    ...(connection.teamId !== undefined && { [teamId]: connection.teamId }),
  };
}
