import type { IncomingMessage } from 'node:http';
import type { SubmittedJob } from '../../contract/control/controlTraces.ts';
import { controlTraceOperations } from '../../contract/control/traceOperations.ts';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../contract/imageModel.ts';
import { operations } from '../../contract/operations.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { imageQueue } from '../domain/imageQueue.ts';
import { wholeJson } from '../domain/largeJson.ts';
import { checkAccess } from '../routes/access.ts';
import { controlRoute, type ControlApp, type ControlRequest } from './controlRoute.ts';
import type { ControlledServices } from './controlServices.ts';
import { checkReadable } from './readable.ts';

const { getJobRequest, getJobTrace, getWorkerStart } = controlTraceOperations;

interface OfEndpoint {
  readonly endpointId: string;
}

/** Routes for traces. Like those for metrics, they accept each key that may read the endpoint. */
export function traceRoutes(app: ControlApp, instance: () => ControlledServices): void {
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
      createdAt: new Date(createdAt).toISOString(),
      ...(release !== undefined && { release, ...endpointImages.ofRelease(endpoint, release) }),
    };
  });

  const serveStart = ({ parameters: { endpointId, workerId } }: ControlRequest<typeof getWorkerStart>) => {
    const { engine } = instance();
    return engine.traces.ofWorker(engine.endpoint(endpointId).endpoint.id, workerId);
  };
  const admit = (incoming: IncomingMessage, { endpointId }: OfEndpoint): Promise<void> =>
    checkReadable(instance(), incoming, endpointId);
  controlRoute(app, getWorkerStart, serveStart, { admit });
}
