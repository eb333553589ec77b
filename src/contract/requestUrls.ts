import type * as z from 'zod';
import type { QueueRequestUrls } from './endpoint.ts';
import type { OperationId } from './operations.ts';

/* Relation between the `requestUrls` of an endpoint and operations. */

/** Field of `requestUrls` of a queue-based endpoint with the URL of each operation. */
export const REQUEST_URL_OF: Readonly<Partial<Record<OperationId, keyof z.infer<typeof QueueRequestUrls>>>> = {
  runJob: 'run',
  runJobSync: 'runSync',
  getJobStatus: 'status',
  streamJob: 'stream',
  cancelJob: 'cancel',
  retryJob: 'retry',
  purgeQueue: 'purgeQueue',
  getEndpointHealth: 'health',
};

/** Placeholder for a job's ID in URLs. */
export const JOB_ID_PLACEHOLDER = '{job_id}';
