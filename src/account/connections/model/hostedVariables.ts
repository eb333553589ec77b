import type { Connection } from '../../../client/connection.ts';
import type { S3Access } from '../../../client/s3/s3Connection.ts';

/** Environment variables of a hosted platform. */
export const HOSTED_VARIABLES = {
  baseUrl: 'CLOUD_COMPUTE_BASE_URL',
  restUrl: 'CLOUD_COMPUTE_REST_URL',
  queueUrl: 'CLOUD_COMPUTE_QUEUE_URL',
  endpointHost: 'CLOUD_COMPUTE_ENDPOINT_HOST',
  apiKey: 'CLOUD_COMPUTE_API_KEY',
  teamId: 'CLOUD_COMPUTE_TEAM_ID',
} as const satisfies Record<keyof Connection, string>;

/** Environment variables with the address and the key for the files of network volumes. */
export const S3_VARIABLES = {
  s3Url: 'CLOUD_COMPUTE_S3_URL',
  s3AccessKeyId: 'CLOUD_COMPUTE_S3_ACCESS_KEY_ID',
  s3SecretAccessKey: 'CLOUD_COMPUTE_S3_SECRET_ACCESS_KEY',
} as const satisfies Record<keyof S3Access, string>;
