import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import type { EndedJob } from '../../contract/control/controlMetrics.ts';
import { controlMetricsOperations } from '../../contract/control/metricsOperations.ts';
import { millisecondsOf } from '../../contract/dateTime.ts';
import type { EndedJobRecord } from '../domain/job.ts';
import { controlRoute, type ControlApp, type ControlRequest } from './controlRoute.ts';
import type { ControlledServices } from './controlServices.ts';
import { checkReadable } from './readable.ts';

const { getEndpointMetrics, listEndedJobs } = controlMetricsOperations;

/** Routes for the metrics of endpoints. Unlike the others of the control API, they accept each key that may read the endpoint. */
export function metricsRoutes(app: ControlApp, instance: () => ControlledServices): void {
  const admit = (incoming: IncomingMessage, { endpointId }: { readonly endpointId: string }): Promise<unknown> =>
    checkReadable(instance(), incoming, endpointId);
  const serveMetrics = ({ parameters: { endpointId }, query }: ControlRequest<typeof getEndpointMetrics>) => {
    const { engine } = instance();
    return engine.metrics.of(engine.endpoint(endpointId).endpoint, query);
  };
  controlRoute(app, getEndpointMetrics, serveMetrics, { admit });
  const serveJobs = ({ parameters: { endpointId }, query }: ControlRequest<typeof listEndedJobs>) => {
    const { engine } = instance();
    const { start, end, limit } = query;
    const within = { from: millisecondsOf(start), to: millisecondsOf(end) };
    return { jobs: engine.jobs.ended(engine.endpoint(endpointId).endpoint.id, within, limit).map(endedJob) };
  };
  controlRoute(app, listEndedJobs, serveJobs, { admit });
}

function endedJob({
  id,
  status,
  createdAt,
  startedAt,
  finishedAt,
  workerId,
  release,
}: EndedJobRecord): z.infer<typeof EndedJob> {
  return {
    id,
    status: status as z.infer<typeof EndedJob>['status'],
    createdAt: dateTime(createdAt),
    ...(startedAt !== undefined && { startedAt: dateTime(startedAt) }),
    finishedAt: dateTime(finishedAt),
    ...(workerId !== undefined && { workerId }),
    ...(release !== undefined && { release }),
  };
}

const dateTime = (ms: number): string => new Date(ms).toISOString();
