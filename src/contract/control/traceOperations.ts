import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';
import { JobTrace, SubmittedJob, WorkerStartTrace, XRayEvent } from './controlTraces.ts';

const traces = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, tag: 'Traces' } as const;

/** Operations of the control API for traces. Those that read accept each key that may read the endpoint. */
export const controlTraceOperations = {
  getJobTrace: operation({
    ...traces,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/jobs/{jobId}/trace`,
    summary: 'The life of a job as spans of time, for each key that may read the endpoint',
    success: { status: 200, body: JobTrace },
    errors: [403, 404],
  }),
  getJobRequest: operation({
    ...traces,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/jobs/{jobId}/request`,
    summary: 'The request that submitted a job, without its webhook and S3 settings',
    success: { status: 200, body: SubmittedJob },
    errors: [404],
  }),
  getWorkerStart: operation({
    ...traces,
    method: 'GET',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/workers/{workerId}/start`,
    summary: 'The last start of a worker as spans of time, for each key that may read the endpoint',
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
