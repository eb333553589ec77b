import type { Connection } from '../../../client/connection.ts';

/** Environment variables of a hosted platform. */
export const HOSTED_VARIABLES = {
  baseUrl: 'CLOUD_COMPUTE_BASE_URL',
  restUrl: 'CLOUD_COMPUTE_REST_URL',
  queueUrl: 'CLOUD_COMPUTE_QUEUE_URL',
  endpointHost: 'CLOUD_COMPUTE_ENDPOINT_HOST',
  apiKey: 'CLOUD_COMPUTE_API_KEY',
  teamId: 'CLOUD_COMPUTE_TEAM_ID',
} as const satisfies Record<keyof Connection, string>;
