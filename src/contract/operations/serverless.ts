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
    summary: 'Serverless endpoints of the account',
    section: 'facts 2',
    query: PageQuery,
    success: { status: 200, body: EndpointList },
    errors: [403, 422],
  }),
  createEndpoint: operation({
    ...group,
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
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}',
    summary: 'One serverless endpoint',
    section: 'facts 2',
    success: { status: 200, body: Endpoint },
    errors: [403, 404],
  }),
  updateEndpoint: operation({
    ...group,
    method: 'PATCH',
    path: '/v2/serverless/{id}',
    summary: 'Change an endpoint; what is left out stays as it is',
    section: 'facts 3',
    body: UpdateEndpointBody,
    success: { status: 200, body: Endpoint },
    errors: [400, 403, 404, 422],
  }),
  deleteEndpoint: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/serverless/{id}',
    summary: 'Delete an endpoint, its workers and its jobs',
    section: 'facts 2 and 3',
    success: { status: 204 },
    errors: [403, 404],
  }),
  listEndpointWorkers: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}/workers',
    summary: 'Active workers of an endpoint',
    section: 'facts 3a',
    success: { status: 200, body: WorkerList },
    errors: [403, 404],
  }),
  listEndpointReleases: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}/releases',
    summary: 'Releases of an endpoint, newest first, and the rollout of the newest',
    section: 'facts 3b',
    query: PageQuery,
    success: { status: 200, body: ReleaseList },
    errors: [403, 404, 422],
  }),
  getWorkerLogs: operation({
    ...group,
    method: 'GET',
    path: '/v2/serverless/{id}/workers/{workerId}/logs',
    summary: 'Log lines of a worker, as server-sent events',
    section: 'Endpoints 9, Events; facts 3c',
    query: WorkerLogsQuery,
    precedence: { header: LAST_EVENT_ID_HEADER, query: ['since', 'tail'] },
    success: { status: 200, body: LogEvent, events: true },
    errors: [403, 404, 422],
  }),
} as const;
