import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';
import { EndedJobList, EndedJobsQuery, EndpointMetrics, MetricsQuery } from './controlMetrics.ts';

const metrics = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, tag: 'Metrics' } as const;

/** Operations of the control API for metrics. They accept each key that may read the endpoint. */
export const controlMetricsOperations = {
  getEndpointMetrics: operation({
    ...metrics,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/metrics`,
    summary: 'Measured durations, counts, workers, and cost of an endpoint over time, for each key that may read it',
    query: MetricsQuery,
    success: { status: 200, body: EndpointMetrics },
    errors: [403, 404, 422],
  }),
  listEndedJobs: operation({
    ...metrics,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/ended-jobs`,
    summary:
      'Jobs that ended in a period and are still stored, those that took longest first, for each key that may read the endpoint',
    query: EndedJobsQuery,
    success: { status: 200, body: EndedJobList },
    errors: [403, 404, 422],
  }),
} as const;
