import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import type { EndedJob } from '../../contract/control/controlMetrics.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import type { SubmittedJob } from '../../contract/control/controlTraces.ts';
import { dateTime, millisecondsOf } from '../../contract/dateTime.ts';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../contract/imageModel.ts';
import { operations } from '../../contract/operations.ts';
import { permissionFor } from '../../contract/permissions.ts';
import type { EndedJobRecord } from '../domain/job.ts';
import { imageQueue } from '../domain/imageQueue.ts';
import { wholeJson } from '../domain/largeJson.ts';
import { checkAccess } from '../routes/access.ts';
import { controlRoute, type ControlApp, type ControlRequest } from './controlRoute.ts';
import type { ControlledServices } from './controlServices.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';

const { getEndpointMetrics, getJobRequest, getJobTrace, getWorkerStart, listEndedJobs } = controlOperations;

interface OfEndpoint {
  readonly endpointId: string;
}

/**
 * Routes for the metrics and traces of endpoints. Unlike the others of the control API, those that read accept each key that may read the
 * endpoint.
 */
export function telemetryRoutes(app: ControlApp, instance: () => ControlledServices): void {
  const admit = (incoming: IncomingMessage, { endpointId }: OfEndpoint): Promise<void> =>
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

  /** The model that edits images is readable for everyone, and each account has its own queue. */
  const admitToJobs = async (incoming: IncomingMessage, { endpointId }: OfEndpoint): Promise<void> => {
    if (endpointId !== IMAGE_EDIT_ENDPOINT_ID) return checkReadable(instance(), incoming, endpointId);
    const caller = await instance().authenticator.authenticate(incoming.headers);
    checkAccess(caller, permissionFor(operations.getJobStatus));
  };
  const serveJob = async ({ parameters: { endpointId, jobId }, incoming }: ControlRequest<typeof getJobTrace>) => {
    const { engine, authenticator } = instance();
    if (endpointId !== IMAGE_EDIT_ENDPOINT_ID)
      return engine.traces.ofJob(engine.endpoint(endpointId).endpoint.id, jobId);
    const { accountId } = await authenticator.authenticate(incoming.headers);
    return engine.traces.ofJob(imageQueue(accountId), jobId);
  };
  controlRoute(app, getJobTrace, serveJob, { admit: admitToJobs });

  controlRoute(app, getJobRequest, ({ parameters: { endpointId, jobId } }) => {
    const { engine, endpointImages } = instance();
    const { endpoint } = engine.endpoint(endpointId);
    const { job, request } = engine.jobs.request(endpoint.id, jobId);
    const { createdAt, release } = job;
    return {
      input: wholeJson(request.input) as SubmittedJob['input'],
      ...(request.policy && { policy: request.policy }),
      createdAt: dateTime(createdAt),
      ...(release !== undefined && { release, ...endpointImages.ofRelease(endpoint, release) }),
    };
  });

  const serveStart = ({ parameters: { endpointId, workerId } }: ControlRequest<typeof getWorkerStart>) => {
    const { engine } = instance();
    return engine.traces.ofWorker(engine.endpoint(endpointId).endpoint.id, workerId);
  };
  controlRoute(app, getWorkerStart, serveStart, { admit });
}

/** Checks that the caller may read an endpoint. The owner may read those of all accounts. @throws Refusal 401, 403, 404 */
async function checkReadable(
  { authenticator, engine }: ControlledServices,
  { headers }: IncomingMessage,
  endpointId: string,
): Promise<void> {
  const caller = await authenticator.authenticate(headers);
  checkAccess(caller, permissionFor(operations.getEndpoint));
  if (!caller.isPlatformOwner) endpointsOf(engine, caller.accountId).get(endpointId);
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
