import * as z from 'zod';
import type { JobStatus } from '../job.ts';
import { integerParameter, openEnum } from '../schema.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';

/* Metrics of an endpoint, which a local platform measures. Times are RFC 3339 in UTC, durations are seconds, and amounts are USD. */

/** Lengths of the buckets of metrics, in seconds, with the time for which each is kept, in seconds. */
export const METRIC_STEPS = [
  { seconds: 10, keptSeconds: 3_600 },
  { seconds: 60, keptSeconds: 2 * 86_400 },
  { seconds: 3_600, keptSeconds: 366 * 86_400 },
] as const;

/** Maximum relative error of a quantile. The count and the maximum are exact. */
export const QUANTILE_ERROR = 0.01;

/** Maximum number of buckets in one response. */
export const MAX_METRIC_POINTS = 10_000;

const dateTime = z.iso.datetime({ offset: true });

export const MetricsQuery = z.strictObject({
  start: dateTime.meta({ description: 'Start of the period, which is rounded down to a bucket.' }),
  end: dateTime.meta({ description: 'End of the period, exclusive.' }),
  step: integerParameter({ min: 1, max: 86_400 }).optional().meta({
    description:
      'Length of a bucket in seconds: 10, 60, or 3600. Others are rounded up. Buckets that are no longer kept are left out. Default: the shortest length that is kept for the whole period and gives at most 1,500 buckets.',
  }),
  release: integerParameter({ min: 1, max: 1_000_000_000 })
    .optional()
    .meta({ description: 'Version of the release whose jobs and workers are measured. Default: all releases.' }),
});
export type MetricsQuery = z.infer<typeof MetricsQuery>;

const seconds = (description: string) => z.number().meta({ description });

/** Distribution of a duration. */
export const Distribution = z.looseObject({
  count: z.int().meta({ description: 'Number of measured durations, at least 1.' }),
  sum: seconds('Sum of the durations, in seconds.'),
  p50: seconds('Median in seconds, within 1 %.'),
  p90: seconds('90th percentile in seconds, within 1 %.'),
  p99: seconds('99th percentile in seconds, within 1 %.'),
  max: seconds('Longest duration in seconds.'),
});
export type Distribution = z.infer<typeof Distribution>;

const count = (description: string) =>
  z
    .int()
    .optional()
    .meta({ description: `${description} Omitted: 0.` });
const mean = (description: string) =>
  z
    .number()
    .optional()
    .meta({ description: `${description} Omitted: 0.` });
const distribution = (description: string) =>
  Distribution.optional().meta({ description: `${description} Omitted: none was measured.` });

/** Outcomes of jobs. */
export const METRIC_OUTCOMES = [
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMED_OUT',
] as const satisfies readonly JobStatus[];

/** Classes of the status of a response of a load-balanced endpoint. `refused` is one of the platform, such as without a worker. */
export const RESPONSE_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'refused', 'disconnected'] as const;

/** Measurements of a period. */
const measured = {
  arrivals: count('Number of jobs or requests that were accepted.'),
  outcomes: z
    .partialRecord(z.enum(METRIC_OUTCOMES), z.int())
    .optional()
    .meta({ description: 'Number of jobs that ended, by status. Omitted: 0.' }),
  retries: count('Number of times that a job returned to the queue.'),
  queueDelay: distribution('Time from entering the queue to a worker.'),
  execution: distribution('Time from a worker to the end, of jobs that ended.'),
  endToEnd: distribution('Time from submission to the end, of jobs that ended.'),
  coldStart: distribution('Time from the start of a worker until it is ready.'),
  latency: distribution('Time from a request to the end of its response, of a load-balanced endpoint.'),
  responses: z
    .partialRecord(z.enum(RESPONSE_CLASSES), z.int())
    .optional()
    .meta({ description: 'Number of responses of a load-balanced endpoint, by class of the status. Omitted: 0.' }),
  queueDepth: mean('Mean number of waiting jobs or requests.'),
  maxQueueDepth: count('Largest number of waiting jobs or requests.'),
  workers: z
    .looseObject({
      initializing: mean('Mean number of workers that start.'),
      idle: mean('Mean number of workers without work.'),
      running: mean('Mean number of workers with work.'),
      throttled: mean('Mean number of workers that wait for room or a GPU.'),
      unhealthy: mean('Mean number of workers that failed to start.'),
    })
    .optional()
    .meta({ description: 'Workers by state. Omitted: none.' }),
  logBytes: count('Size of the log lines in bytes.'),
  spendUsd: mean('Estimated cost of the workers in USD.'),
};

export const MetricsPoint = z.looseObject({
  at: dateTime.meta({ description: 'Start of the bucket.' }),
  ...measured,
});
export type MetricsPoint = z.infer<typeof MetricsPoint>;

export const MetricsSummary = z.looseObject(measured);
export type MetricsSummary = z.infer<typeof MetricsSummary>;

export const MetricsMarker = z.looseObject({
  at: dateTime.meta({ description: 'Time of the event.' }),
  kind: openEnum(['release', 'crash']).meta({
    description: 'release: a new release of the endpoint. crash: a worker ended without being stopped.',
  }),
  release: z.int().optional().meta({ description: 'Version of the release.' }),
  workerId: z.string().optional().meta({ description: 'ID of the worker. Set for crash.' }),
});
export type MetricsMarker = z.infer<typeof MetricsMarker>;

export const EndpointMetrics = z.looseObject({
  step: z.int().meta({ description: 'Length of a bucket in seconds.' }),
  points: z
    .array(MetricsPoint)
    .meta({ description: 'Buckets in which the platform ran, oldest first. Others were not measured.' }),
  total: MetricsSummary.meta({ description: 'Measurements of the whole period.' }),
  markers: z.array(MetricsMarker).meta({ description: 'Events in the period, oldest first.' }),
});
export type EndpointMetrics = z.infer<typeof EndpointMetrics>;

/** Maximum number of jobs in one response. */
export const MAX_LISTED_JOBS = 200;

const EndedJobsQuery = z.strictObject({
  start: dateTime.meta({ description: 'Start of the period in which the jobs ended.' }),
  end: dateTime.meta({ description: 'End of the period, exclusive.' }),
  limit: integerParameter({ min: 1, max: MAX_LISTED_JOBS })
    .optional()
    .meta({ description: `Maximum number of jobs, 1 to ${MAX_LISTED_JOBS}. Default: ${MAX_LISTED_JOBS}.` }),
});

export const EndedJob = z.looseObject({
  id: z.string().meta({ description: 'ID of the job.' }),
  status: z.enum(METRIC_OUTCOMES).meta({ description: 'Status of the job.' }),
  createdAt: dateTime.meta({ description: 'Time of the submission.' }),
  startedAt: dateTime.optional().meta({ description: 'Time at which a worker took the job. Omitted: none took it.' }),
  finishedAt: dateTime.meta({ description: 'Time of the end.' }),
  workerId: z.string().optional().meta({ description: 'ID of the worker. Omitted: none took it.' }),
  release: z.int().optional().meta({ description: 'Version of the release of the worker. Omitted: unknown.' }),
});
export type EndedJob = z.infer<typeof EndedJob>;

const EndedJobList = z.looseObject({
  jobs: z.array(EndedJob).meta({ description: 'Jobs that ended in the period, those that took longest first.' }),
});

const metrics = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, tag: 'Metrics' } as const;

/** Operations of the control API for metrics. They accept each key that may read the endpoint. */
export const controlMetricsOperations = {
  getEndpointMetrics: operation({
    ...metrics,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/metrics`,
    summary:
      'Get the measured durations, counts, workers, and cost of an endpoint over time, for each key that may read it',
    query: MetricsQuery,
    success: { status: 200, body: EndpointMetrics },
    errors: [403, 404, 422],
  }),
  listEndedJobs: operation({
    ...metrics,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/ended-jobs`,
    summary:
      'List the jobs that ended in a period and are still stored, longest first, for each key that may read the endpoint',
    query: EndedJobsQuery,
    success: { status: 200, body: EndedJobList },
    errors: [403, 404, 422],
  }),
} as const;
