import * as z from 'zod';
import { JOB_STATUSES, JobInput, JobRequest } from '../job.ts';
import { openEnum } from '../schema.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';

/* The life of a job and the start of a worker, as spans of time, which a local platform records. Times are RFC 3339 in UTC. */

const dateTime = z.iso.datetime({ offset: true });

/**
 * Kinds of spans. A span of a later group lies inside a span of the first group that overlaps with it, in the order of this list: parts of
 * waiting lie in `queued`, parts of a start in `coldStart`, and `streaming` in `running`.
 */
export const SPAN_KINDS = [
  'queued',
  'waitingForWorker',
  'waitingForSlot',
  'waitingForGpus',
  'waitingForPlace',
  'waitingForBusyWorkers',
  'waitingAfterFailure',
  'coldStart',
  'pulling',
  'pullingLayer',
  'creating',
  'loading',
  'importing',
  'resuming',
  'running',
  'streaming',
  'webhook',
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** How the span of an attempt or a delivery ended. */
const SPAN_OUTCOMES = ['ok', 'failed', 'cancelled', 'timedOut', 'workerLost', 'returned'] as const;
export type SpanOutcome = (typeof SPAN_OUTCOMES)[number];

/** The kinds that can contain a span of a kind, the nearest first. The job contains all spans. */
const CONTAINERS: Readonly<Partial<Record<string, readonly SpanKind[]>>> = {
  waitingForWorker: ['queued'],
  waitingForSlot: ['queued'],
  waitingForGpus: ['queued'],
  waitingForPlace: ['queued'],
  waitingForBusyWorkers: ['queued'],
  waitingAfterFailure: ['queued'],
  coldStart: ['queued'],
  pulling: ['coldStart', 'queued'],
  pullingLayer: ['pulling', 'coldStart', 'queued'],
  creating: ['coldStart', 'queued'],
  loading: ['coldStart', 'queued'],
  importing: ['loading', 'coldStart', 'queued'],
  resuming: ['coldStart', 'queued'],
  streaming: ['running'],
};

/** Returns the kinds that can contain a span of a kind, the nearest first. */
export function containersOf(kind: string): readonly SpanKind[] {
  return (Object.hasOwn(CONTAINERS, kind) ? CONTAINERS[kind] : undefined) ?? [];
}

const FAILURES: readonly string[] = ['failed', 'timedOut', 'workerLost'] satisfies SpanOutcome[];

/** Returns whether an outcome is a failure. */
export function isFailure(outcome: string): boolean {
  return FAILURES.includes(outcome);
}

export const TraceSpan = z.looseObject({
  kind: openEnum(SPAN_KINDS).meta({
    description:
      'queued: one stay in the queue. waitingForWorker: no worker was being started. waitingForSlot, waitingForGpus, waitingForPlace: the ' +
      'machine or the cluster had no room. waitingForBusyWorkers: all workers had work. waitingAfterFailure: the worker paused after a ' +
      'failed start. coldStart: from the start of a worker until it was ready. pulling: the image. pullingLayer: one of its layers. ' +
      'creating: the container, Pod, or process. loading: from the start of the process until it was ready. importing: a module that the ' +
      'process loaded. resuming: from standby. running: one attempt on a worker. streaming: from the first chunk of output to the last ' +
      'one. webhook: one delivery.',
  }),
  start: dateTime.meta({ description: 'Start of the span.' }),
  end: dateTime.optional().meta({ description: 'End of the span. Omitted: it has not ended.' }),
  attempt: z.int().optional().meta({ description: 'Number of the attempt of the job or the delivery, from 1.' }),
  workerId: z.string().optional().meta({ description: 'ID of the worker.' }),
  release: z.int().optional().meta({ description: 'Version of the release of the worker.' }),
  outcome: openEnum(SPAN_OUTCOMES).optional().meta({
    description: 'How an attempt or a delivery ended. Omitted: it has not ended, or the span is of another kind.',
  }),
  name: z.string().optional().meta({ description: 'The layer, the module, or the origin of the receiver.' }),
  reason: z.string().optional().meta({ description: 'Why it failed, or what the worker waited for.' }),
  bytes: z.int().optional().meta({ description: 'Size of the layer in bytes.' }),
  downloadedAt: dateTime.optional().meta({ description: 'End of the download of the layer. Omitted: unknown.' }),
  extractedFrom: dateTime
    .optional()
    .meta({ description: 'Time from which the layer was extracted. Omitted: the engine does not report it.' }),
  isPresent: z.boolean().optional().meta({ description: 'Whether the engine had the layer already. Default: false.' }),
  selfSeconds: z
    .number()
    .optional()
    .meta({ description: 'Time of the module without the modules that it imported, in seconds.' }),
  depth: z
    .int()
    .optional()
    .meta({ description: 'Number of modules that imported the module indirectly: 0 if the program imports it.' }),
});
export type TraceSpan = z.infer<typeof TraceSpan>;

export const JobTrace = z.looseObject({
  jobId: z.string().meta({ description: 'ID of the job.' }),
  endpointId: z.string().meta({ description: 'ID of the endpoint.' }),
  status: z.enum(JOB_STATUSES).meta({ description: 'Status of the job.' }),
  traceParent: z
    .string()
    .optional()
    .meta({ description: 'The traceparent header (W3C Trace Context) of the request that submitted the job.' }),
  createdAt: dateTime.meta({ description: 'Time of the submission.' }),
  finishedAt: dateTime.optional().meta({ description: 'Time of the end. Omitted: the job has not ended.' }),
  spans: z
    .array(TraceSpan)
    .meta({ description: 'Spans of the job, in order of their starts; those that contain others first.' }),
});
export type JobTrace = z.infer<typeof JobTrace>;

/** A job as it was submitted, so that it can run again elsewhere. */
export const SubmittedJob = z.looseObject({
  input: JobInput.meta({ description: 'Input of the handler.' }),
  policy: JobRequest.shape.policy,
  createdAt: dateTime.meta({ description: 'Time of the submission.' }),
  release: z
    .int()
    .optional()
    .meta({ description: 'Version of the release of the worker that took the job last. Omitted: none, or unknown.' }),
  image: z.string().optional().meta({ description: 'Image of the release. Omitted: the release is unknown.' }),
  digest: z.string().optional().meta({
    description:
      'Digest of the image that the workers of the release ran, or its ID if only the engine has it. Omitted: none, or unknown.',
  }),
});
export type SubmittedJob = z.infer<typeof SubmittedJob>;

export const WorkerStartTrace = z.looseObject({
  workerId: z.string().meta({ description: 'ID of the worker.' }),
  endpointId: z.string().meta({ description: 'ID of the endpoint.' }),
  readyAt: dateTime.optional().meta({ description: 'Time at which the worker was ready. Omitted: it is not ready.' }),
  otherImports: z
    .looseObject({
      count: z.int().meta({ description: 'Number of modules.' }),
      seconds: z.number().meta({ description: 'Time that they took together, in seconds.' }),
    })
    .optional()
    .meta({
      description:
        'Measured modules that have no span, because they took little time. Omitted: the imports were not measured.',
    }),
  spans: z
    .array(TraceSpan)
    .meta({ description: 'Spans of the last start, in order of their starts; those that contain others first.' }),
});
export type WorkerStartTrace = z.infer<typeof WorkerStartTrace>;

/** Classes of causes for which the imports of a worker cannot be measured. */
const X_RAY_PROBLEMS = ['noWorkers', 'notStarted', 'ended'] as const;
export type XRayProblem = (typeof X_RAY_PROBLEMS)[number];

/** Event of a measured start. `ready` or `failed` is the last one. Closing the stream ends the worker. */
export const XRayEvent = z.looseObject({
  event: openEnum(['waiting', 'starting', 'ready', 'failed']).meta({
    description:
      'waiting: the worker waits for room. starting: it is being started, sent again with new progress. ready: it is ready, and its start ' +
      'is measured. failed: it cannot be measured.',
  }),
  workerId: z.string().optional().meta({ description: 'ID of the worker. Omitted if none was started.' }),
  percent: z.int().optional().meta({ description: 'Progress of the pull of its image, 0 to 100. Omitted: unknown.' }),
  start: WorkerStartTrace.optional().meta({ description: 'The measured start. Set for ready.' }),
  problem: openEnum(X_RAY_PROBLEMS)
    .optional()
    .meta({
      description:
        'noWorkers: the endpoint has a maximum of 0 workers. notStarted: the worker failed to start. ended: the worker was stopped. Set for ' +
        'failed.',
    }),
  reason: z.string().optional().meta({ description: 'The cause. Set for failed.' }),
});
export type XRayEvent = z.infer<typeof XRayEvent>;

const traces = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, tag: 'Traces' } as const;

/** Operations of the control API for traces. Those that read accept each key that may read the endpoint. */
export const controlTraceOperations = {
  getJobTrace: operation({
    ...traces,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/jobs/{jobId}/trace`,
    summary: 'Get the life of a job as spans of time, for each key that may read the endpoint',
    success: { status: 200, body: JobTrace },
    errors: [403, 404],
  }),
  getJobRequest: operation({
    ...traces,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/jobs/{jobId}/request`,
    summary: 'Get the request that submitted a job, without its webhook and S3 settings',
    success: { status: 200, body: SubmittedJob },
    errors: [404],
  }),
  getWorkerStart: operation({
    ...traces,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/workers/{workerId}/start`,
    summary: 'Get the last start of a worker as spans of time, for each key that may read the endpoint',
    success: { status: 200, body: WorkerStartTrace },
    errors: [403, 404],
  }),
  xRayStart: operation({
    ...traces,
    method: 'POST',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/x-ray`,
    summary:
      'Start a further worker of the endpoint, measure the modules that it loads until it is ready, and end it; closing the stream ends it earlier',
    success: { status: 200, body: XRayEvent, events: true },
    errors: [404],
  }),
} as const;
