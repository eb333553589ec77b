import type { IncomingMessage } from 'node:http';
import { controlTraceOperations } from '../../contract/control/traceOperations.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlledServices } from './controlServices.ts';
import { checkReadable } from './readable.ts';

const { getJobTrace, getWorkerStart } = controlTraceOperations;

/** Routes for traces. Like those for metrics, they accept each key that may read the endpoint. */
export function traceRoutes(app: ControlApp, instance: () => ControlledServices): void {
  const admit = (incoming: IncomingMessage, { endpointId }: { readonly endpointId: string }): Promise<unknown> =>
    checkReadable(instance(), incoming, endpointId);
  controlRoute(
    app,
    getJobTrace,
    ({ parameters: { endpointId, jobId } }) => {
      const { engine } = instance();
      return engine.traces.ofJob(engine.endpoint(endpointId).endpoint.id, jobId);
    },
    { admit },
  );
  controlRoute(
    app,
    getWorkerStart,
    ({ parameters: { endpointId, workerId } }) => {
      const { engine } = instance();
      return engine.traces.ofWorker(engine.endpoint(endpointId).endpoint.id, workerId);
    },
    { admit },
  );
}
