import type * as z from 'zod';
import type { QueueRequestUrls } from './endpoint.ts';
import type { OperationId } from './operations.ts';

/* How an endpoint's `requestUrls` stand for operations (facts, section 3). */

/** Which address of a queue-based endpoint an operation is sent to. */
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

/** Stands for a job's id in the addresses of one job. */
export const JOB_ID_PLACEHOLDER = '{job_id}';
