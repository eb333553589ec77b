import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';
import { ActiveDisturbance, Disturbance, DisturbanceList, JobDisturbance } from './controlDisturbances.ts';

const disturbances = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, tag: 'Disturbances' } as const;
const path = `${CONTROL_PATH}/endpoints/{endpointId}/disturbances`;

/** Operations of the control API for disturbed deliveries of jobs. They need a queue-based endpoint. */
export const controlDisturbanceOperations = {
  addDisturbance: operation({
    ...disturbances,
    method: 'POST',
    path,
    summary: 'Disturb the delivery of a job or of its result at a counted message of the workers, once',
    body: Disturbance,
    success: { status: 201, body: ActiveDisturbance },
    errors: [404, 422],
  }),
  listDisturbances: operation({
    ...disturbances,
    method: 'GET',
    path,
    summary: 'List the disturbances of an endpoint, with the number of messages that each has seen',
    success: { status: 200, body: DisturbanceList },
    errors: [404],
  }),
  disturbJob: operation({
    ...disturbances,
    method: 'POST',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/jobs/{jobId}/disturb`,
    summary: 'Kill the worker of a running job, or expire its lease, and respond once that has happened',
    body: JobDisturbance,
    success: { status: 204 },
    errors: [404, 409, 422],
  }),
} as const;
