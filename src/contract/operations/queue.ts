import * as z from 'zod';
import { ImageEditQuery, ImageEditRequest, ImageEditResult } from '../imageEdit.ts';
import {
  EndpointHealth,
  IDEMPOTENCY_KEY_HEADER,
  Job,
  JobRequest,
  JobStream,
  MAX_IDEMPOTENCY_KEY_LENGTH,
  PurgeResult,
  StatusQuery,
  WaitQuery,
} from '../job.ts';
import { operation } from '../operation.ts';
import { TRACE_PARENT_HEADER } from '../headers.ts';
import { queue } from './common.ts';

/** Headers of operations that submit a job. */
const submissionHeaders = {
  [TRACE_PARENT_HEADER]: z.string().optional().meta({
    description:
      'Trace of the caller (W3C Trace Context), which a local platform continues and passes to the worker. An invalid value is ignored.',
  }),
  [IDEMPOTENCY_KEY_HEADER]: z
    .string()
    .max(MAX_IDEMPOTENCY_KEY_LENGTH)
    .regex(/^[!-~]+$/)
    .optional()
    .meta({
      description:
        'Key of the submission, 1 to 255 visible ASCII characters. A second request with the same key and body returns the job of the first one. Local platforms support it; hosted platforms ignore it.',
    }),
};

export const queueOperations = {
  runJob: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/run',
    summary: 'Submit a job and return immediately',
    headers: submissionHeaders,
    body: JobRequest,
    success: { status: 200, body: Job },
    errors: [400, 404, 409, 500],
    limit: { requests: 1000, atOnce: 200 },
  }),
  runJobSync: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/runsync',
    summary: 'Submit a job and wait for its result',
    headers: submissionHeaders,
    query: WaitQuery,
    body: JobRequest,
    success: { status: 200, body: Job },
    errors: [400, 404, 409, 500],
    limit: { requests: 2000, atOnce: 400 },
  }),
  getJobStatus: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/status/{jobId}',
    summary: 'Get the current state of a job',
    query: StatusQuery,
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
    limit: { requests: 2000, atOnce: 400 },
  }),
  getJobStatusSync: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/status-sync/{jobId}',
    summary: 'Wait until a job ends, and get its state then or after the maximum wait',
    query: WaitQuery,
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  streamJob: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/stream/{jobId}',
    summary: 'Get the output chunks since the last call; each chunk is returned once',
    query: WaitQuery,
    success: { status: 200, body: JobStream },
    errors: [400, 404, 500],
    limit: { requests: 2000, atOnce: 400 },
  }),
  cancelJob: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/cancel/{jobId}',
    summary: 'Cancel a waiting or running job',
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
    limit: { requests: 100, atOnce: 20 },
  }),
  retryJob: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/retry/{jobId}',
    summary: 'Submit a failed or timed-out job again under the same ID',
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  purgeQueue: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/purge-queue',
    summary: 'Remove all jobs that are waiting in the queue',
    success: { status: 200, body: PurgeResult },
    errors: [404, 500],
    limit: { requests: 2 },
  }),
  getEndpointHealth: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/health',
    summary: 'Get the numbers of jobs and workers',
    success: { status: 200, body: EndpointHealth },
    errors: [404, 500],
  }),
  editImage: operation({
    ...queue,
    method: 'POST',
    path: '/image-edit/runsync',
    summary: 'Edit an image with the public model',
    query: ImageEditQuery,
    body: ImageEditRequest,
    success: { status: 200, body: ImageEditResult },
    errors: [400, 404, 500],
    tag: 'Public models',
  }),
} as const;
