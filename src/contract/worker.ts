import * as z from 'zod';
import { DateTime } from './dateTime.ts';
import { openEnum } from './schema.ts';

/* Workers of an endpoint: GET /v2/serverless/{id}/workers. */

export const WORKER_STATUSES = ['RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

export const Worker = z.looseObject({
  id: z.string(),
  status: openEnum(WORKER_STATUSES),
  isStale: z.boolean().meta({ description: 'true: the worker runs an older version of the endpoint.' }),
  version: z.number().nullish(),
  gpuCount: z.number(),
  image: z.string().nullish(),
  uptimeSeconds: z.number().nullish(),
  gpuTypeId: z.string().nullish(),
  dataCenterId: z.string().nullish(),
  startedAt: DateTime.nullish(),
});
export type Worker = z.infer<typeof Worker>;

export const WorkerSummary = z.looseObject({
  running: z.number(),
  idle: z.number(),
  initializing: z.number(),
  throttled: z.number(),
  unhealthy: z.number(),
  total: z.number(),
});
export type WorkerSummary = z.infer<typeof WorkerSummary>;

export const WorkerList = z.looseObject({
  workers: z.array(Worker),
  summary: WorkerSummary,
  endpointVersion: z.number().nullish(),
});
export type WorkerList = z.infer<typeof WorkerList>;
