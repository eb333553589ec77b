import type * as z from 'zod';
import type { EndedJob } from '../../contract/control/controlMetrics.ts';
import { controlMetricsOperations } from '../../contract/control/metricsOperations.ts';
import { millisecondsOf } from '../../contract/dateTime.ts';
import type { JobRecord } from '../domain/job.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlledServices } from './controlServices.ts';

const { getEndpointMetrics, listEndedJobs } = controlMetricsOperations;

/** Routes for the metrics of endpoints. */
export function metricsRoutes(app: ControlApp, instance: () => ControlledServices): void {
  controlRoute(app, getEndpointMetrics, ({ parameters: { endpointId }, query }) => {
    const { engine } = instance();
    return engine.metrics.of(engine.endpoint(endpointId).endpoint, query);
  });
  controlRoute(app, listEndedJobs, ({ parameters: { endpointId }, query: { start, end, limit } }) => {
    const { engine } = instance();
    const within = { from: millisecondsOf(start), to: millisecondsOf(end) };
    return { jobs: engine.jobs.ended(engine.endpoint(endpointId).endpoint.id, within, limit).map(endedJob) };
  });
}

function endedJob({
  id,
  status,
  createdAt,
  startedAt,
  finishedAt,
  workerId,
  release,
}: JobRecord): z.infer<typeof EndedJob> {
  return {
    id,
    status: status as z.infer<typeof EndedJob>['status'],
    createdAt: dateTime(createdAt),
    ...(startedAt !== undefined && { startedAt: dateTime(startedAt) }),
    finishedAt: dateTime(finishedAt ?? createdAt),
    ...(workerId !== undefined && { workerId }),
    ...(release !== undefined && { release }),
  };
}

const dateTime = (ms: number): string => new Date(ms).toISOString();
