import * as z from 'zod';
import { DateTime, openEnum } from './schema.ts';

/* Workers of an endpoint: GET /v2/serverless/{id}/workers. */

export const WORKER_STATUSES = ['RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

export const WORKER_START_KINDS = ['pulling', 'noPlace', 'waitingForGpus', 'waitingForSlot'] as const;

/** Why the process of a worker does not run yet. */
export const WorkerStart = z.looseObject({
  kind: openEnum(WORKER_START_KINDS).meta({
    description:
      'pulling: the image is being pulled. noPlace: no machine of the cluster has room. waitingForGpus, waitingForSlot: the machine has no free GPU or slot.',
  }),
  percent: z.number().optional().meta({ description: 'Part of the image that is pulled, 0 to 100.' }),
  reason: z.string().optional().meta({ description: 'Reason of the scheduler of the cluster.' }),
  needed: z.number().optional().meta({ description: 'GPUs that the worker needs.' }),
  total: z.number().optional().meta({ description: 'GPUs or slots of the machine.' }),
});
export type WorkerStart = z.infer<typeof WorkerStart>;

export const Worker = z.looseObject({
  id: z.string().meta({ description: 'ID of the worker.' }),
  status: openEnum(WORKER_STATUSES).meta({ description: 'State of the worker.' }),
  isStale: z.boolean().meta({ description: 'true: the worker runs an older version of the endpoint.' }),
  version: z.number().nullish().meta({ description: 'Version of the endpoint that the worker runs.' }),
  gpuCount: z.number().meta({ description: 'Number of GPUs. 0: a CPU worker.' }),
  image: z.string().nullish().meta({ description: 'Reference of the container image.' }),
  uptimeSeconds: z.number().nullish().meta({ description: 'Time since the start, in seconds.' }),
  gpuTypeId: z
    .string()
    .nullish()
    .meta({ description: 'ID of the GPU type. null or omitted: a CPU worker, or not known.' }),
  dataCenterId: z.string().nullish().meta({ description: 'ID of the data center. null or omitted: not known.' }),
  startedAt: DateTime.nullish().meta({
    description: 'Start time, as an RFC 3339 date-time. null or omitted: not started.',
  }),
  start: WorkerStart.optional().meta({
    description: 'Why the process does not run yet. Only the local platform has this field.',
  }),
  gpus: z
    .array(z.string())
    .optional()
    .meta({ description: 'GPUs of the machine that the worker has, by UUID. Only the local platform has this field.' }),
  debugged: z.literal(true).optional().meta({
    description:
      'true: a debugger holds the worker, and its time limits are lifted. Only the local platform has this field.',
  }),
});
export type Worker = z.infer<typeof Worker>;

export const WorkerSummary = z.looseObject({
  running: z.number().meta({ description: 'Workers that are running a job.' }),
  idle: z.number().meta({ description: 'Workers that are ready and have no job.' }),
  initializing: z.number().meta({ description: 'Workers that are starting.' }),
  throttled: z.number().meta({ description: 'Workers that are waiting for capacity.' }),
  unhealthy: z.number().meta({ description: 'Workers that cannot run.' }),
  total: z.number().meta({ description: 'All active workers.' }),
});
export type WorkerSummary = z.infer<typeof WorkerSummary>;

export const WorkerList = z.looseObject({
  workers: z.array(Worker).meta({ description: 'Active workers.' }),
  summary: WorkerSummary.meta({ description: 'Numbers of workers.' }),
  endpointVersion: z.number().nullish().meta({ description: 'Newest version of the endpoint.' }),
});
export type WorkerList = z.infer<typeof WorkerList>;
