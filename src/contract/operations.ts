import { BillingQuery, BillingResponse } from './billing.ts';
import { CreateEndpointBody, Endpoint, EndpointList } from './endpoint.ts';
import { EndpointHealth, Job, JobRequest, JobStream, PurgeResult, StatusQuery, WaitQuery } from './job.ts';
import { operation } from './operation.ts';
import { WorkerList } from './worker.ts';
import { LogEvent, WorkerLogsQuery } from './workerLogs.ts';

const management = { address: 'baseUrl', errorFormat: 'problem', invalid: 422 } as const;
const queue = { address: 'queueUrl', errorFormat: 'job', invalid: 400 } as const;

/** The whole wire: what the client sends and the local platform answers is derived from these rows. */
export const operations = {
  listBilling: operation({
    ...management,
    method: 'GET',
    path: '/v2/billing',
    summary: 'Time-bucketed total spend of the account',
    section: 'Endpoints 1',
    query: BillingQuery,
    success: { status: 200, body: BillingResponse },
    errors: [400, 403, 422],
  }),

  listEndpoints: operation({
    ...management,
    method: 'GET',
    path: '/v2/serverless',
    summary: 'Serverless endpoints of the account',
    section: 'facts 2',
    success: { status: 200, body: EndpointList },
    errors: [403],
  }),
  createEndpoint: operation({
    ...management,
    method: 'POST',
    path: '/v2/serverless',
    summary: 'Create a serverless endpoint',
    section: 'Endpoints 7',
    body: CreateEndpointBody,
    success: { status: 201, body: Endpoint },
    errors: [400, 403, 404, 422],
    invalid: 400,
  }),
  getEndpoint: operation({
    ...management,
    method: 'GET',
    path: '/v2/serverless/{id}',
    summary: 'One serverless endpoint',
    section: 'facts 2',
    success: { status: 200, body: Endpoint },
    errors: [403, 404],
  }),
  deleteEndpoint: operation({
    ...management,
    method: 'DELETE',
    path: '/v2/serverless/{id}',
    summary: 'Delete an endpoint, its workers and its jobs',
    section: 'facts 2 and 3',
    success: { status: 204 },
    errors: [403, 404],
  }),
  listEndpointWorkers: operation({
    ...management,
    method: 'GET',
    path: '/v2/serverless/{id}/workers',
    summary: 'Active workers of an endpoint',
    section: 'facts 3a',
    success: { status: 200, body: WorkerList },
    errors: [403, 404],
  }),
  getWorkerLogs: operation({
    ...management,
    method: 'GET',
    path: '/v2/serverless/{id}/workers/{workerId}/logs',
    summary: 'Log lines of a worker, as server-sent events',
    section: 'Endpoints 9, Events; facts 3c',
    query: WorkerLogsQuery,
    success: { status: 200, body: LogEvent, events: true },
    errors: [403, 404, 422],
  }),

  runJob: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/run',
    summary: 'Queue a job and return at once',
    section: 'Endpoints 2',
    body: JobRequest,
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  runJobSync: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/runsync',
    summary: 'Queue a job and wait for its result',
    section: 'Endpoints 4; facts 4a',
    query: WaitQuery,
    body: JobRequest,
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  getJobStatus: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/status/{jobId}',
    summary: 'A job as it is now',
    section: 'Endpoints 3',
    query: StatusQuery,
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  streamJob: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/stream/{jobId}',
    summary: 'Output chunks since the last call; each is handed out once',
    section: 'facts 4a',
    query: WaitQuery,
    success: { status: 200, body: JobStream },
    errors: [400, 404, 500],
  }),
  cancelJob: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/cancel/{jobId}',
    summary: 'Cancel a job that is waiting or running',
    section: 'facts 4a',
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  retryJob: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/retry/{jobId}',
    summary: 'Queue a failed or timed out job again under its id',
    section: 'facts 4a',
    success: { status: 200, body: Job },
    errors: [400, 404, 500],
  }),
  purgeQueue: operation({
    ...queue,
    method: 'POST',
    path: '/{endpointId}/purge-queue',
    summary: 'Remove every job that is still waiting',
    section: 'facts 4a',
    success: { status: 200, body: PurgeResult },
    errors: [404, 500],
  }),
  getEndpointHealth: operation({
    ...queue,
    method: 'GET',
    path: '/{endpointId}/health',
    summary: 'Counts of jobs and workers',
    section: 'facts 4a',
    success: { status: 200, body: EndpointHealth },
    errors: [404, 500],
  }),
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
