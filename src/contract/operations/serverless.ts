import { CreateEndpointBody, Endpoint, EndpointList, UpdateEndpointBody } from '../endpoint.ts';
import { ReleaseList } from '../release.ts';
import { PageQuery } from '../pagination.ts';
import { WorkerList } from '../worker.ts';
import { LAST_EVENT_ID_HEADER, LogEvent, WorkerLogsQuery } from '../workerLogs.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Serverless' } as const;

export const serverlessOperations = {
  listEndpoints: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless',
    summary: 'List the serverless endpoints of the account',
    query: PageQuery,
    success: { status: 200, body: EndpointList },
    errors: [403, 422],
  }),
  createEndpoint: operation({
    ...group,
    method: 'POST',
    path: '/v2/serverless',
    summary: 'Create a serverless endpoint',
    body: CreateEndpointBody,
    success: { status: 201, body: Endpoint },
    errors: [400, 403, 404, 422],
    invalid: 400,
  }),
  getEndpoint: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}',
    summary: 'Get a serverless endpoint',
    success: { status: 200, body: Endpoint },
    errors: [403, 404],
  }),
  updateEndpoint: operation({
    ...group,
    method: 'PATCH',
    path: '/v2/serverless/{id}',
    summary: 'Update an endpoint; omitted fields keep their values',
    body: UpdateEndpointBody,
    success: { status: 200, body: Endpoint },
    errors: [400, 403, 404, 422],
  }),
  deleteEndpoint: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/serverless/{id}',
    summary: 'Delete an endpoint with its workers and jobs',
    success: { status: 204 },
    errors: [403, 404],
  }),
  listEndpointWorkers: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}/workers',
    summary: 'List the active workers of an endpoint',
    success: { status: 200, body: WorkerList },
    errors: [403, 404],
  }),
  listEndpointReleases: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}/releases',
    summary: 'List the releases of an endpoint, newest first, with the rollout of the newest',
    query: PageQuery,
    success: { status: 200, body: ReleaseList },
    errors: [403, 404, 422],
  }),
  getWorkerLogs: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}/workers/{workerId}/logs',
    summary: 'Stream the log lines of a worker as server-sent events',
    query: WorkerLogsQuery,
    precedence: { header: LAST_EVENT_ID_HEADER, query: ['since', 'tail'] },
    success: { status: 200, body: LogEvent, events: true },
    errors: [403, 404, 422],
  }),
} as const;
