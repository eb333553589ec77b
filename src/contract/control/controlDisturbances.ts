import * as z from 'zod';
import { MAX_FAULT_COUNT } from '../bounds.ts';
import { schemaRule } from '../schemaRule.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';

/* Requests and responses of the control API for disturbed deliveries of jobs, which happen at a counted message of the workers. */

/** Messages of workers: a request for a job, a job was taken, a progress report, a result. */
const WORKER_MESSAGES = ['request', 'take', 'progress', 'result'] as const;
export type WorkerMessage = (typeof WORKER_MESSAGES)[number];

const EFFECTS = ['killWorker', 'expireLease', 'hold', 'loseResult', 'loseAnswer'] as const;
export type DisturbanceEffect = (typeof EFFECTS)[number];

/** Effects that need a result. */
const EFFECTS_OF_RESULTS: readonly DisturbanceEffect[] = ['loseResult', 'loseAnswer'];

export const Disturbance = z
  .strictObject({
    message: z.enum(WORKER_MESSAGES).meta({
      description:
        'request: a worker requests a job. take: a worker receives a job. progress: a worker reports progress. result: a worker delivers a result.',
    }),
    at: z.int().min(1).max(MAX_FAULT_COUNT).default(1).meta({
      description: 'Number of the message, among those of all workers of the endpoint from now on. Default: 1.',
    }),
    effect: z.enum(EFFECTS).meta({
      description:
        'killWorker: the worker is killed, at its request, before it receives the job, after its progress is stored, or before its result is stored. ' +
        'expireLease: the job returns to the queue although its worker runs it, so that another worker runs it, too. The result of the ' +
        'first one is ignored. hold: only holdFor happens. loseResult: the worker receives a success, but the result is not stored, and the job returns to the queue. ' +
        'loseAnswer: the result is stored, but the worker receives 503, so that it may deliver the result again.',
    }),
    holdFor: z
      .int()
      .min(1)
      .max(MAX_FAULT_COUNT)
      .optional()
      .meta({
        description:
          'The answer to the message is held until that many further messages of its kind have arrived, a result was handled, or a process of a ' +
          'worker has ended. This forces the order of two workers with the same job. Default: it is not held.',
      }),
  })
  .refine(({ message, effect }) => message === 'result' || !EFFECTS_OF_RESULTS.includes(effect), {
    path: ['message'],
    ...schemaRule('disturbanceNeedsResult', {}),
  });
export type Disturbance = z.infer<typeof Disturbance>;

export const ActiveDisturbance = z.looseObject({
  ...Disturbance.shape,
  id: z.string().meta({ description: 'ID of the disturbance.' }),
  seen: z.int().meta({ description: 'Number of such messages since the disturbance was added.' }),
  happened: z.boolean().meta({ description: 'Whether the message has been reached.' }),
});
export type ActiveDisturbance = z.infer<typeof ActiveDisturbance>;

const DisturbanceList = z.looseObject({
  disturbances: z.array(ActiveDisturbance).meta({ description: 'Disturbances of the endpoint, in their order.' }),
});

/** A disturbance of a job that happens at once. */
const JobDisturbance = z.strictObject({
  effect: z.enum(['killWorker', 'expireLease']).meta({
    description:
      'killWorker: its worker is killed. expireLease: it returns to the queue although its worker runs it, so that another worker runs it, too.',
  }),
});
export type JobDisturbance = z.infer<typeof JobDisturbance>;

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
