import type { IncomingMessage } from 'node:http';
import type { XRayEvent } from '../../contract/control/controlTraces.ts';
import { controlTraceOperations } from '../../contract/control/traceOperations.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { eventStream } from './eventStream.ts';
import { checkReadable } from './readable.ts';

const { getJobTrace, getWorkerStart, xRayStart } = controlTraceOperations;

/** Routes for traces. Like those for metrics, those that read accept each key that may read the endpoint. */
export function traceRoutes(app: ControlApp, { instance, realClock }: ControlServices): void {
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
  controlRoute(app, xRayStart, ({ parameters: { endpointId } }) => {
    const { engine } = instance();
    const endpoint = engine.endpoint(endpointId);
    const startOf = (workerId: string) => engine.traces.ofWorker(endpoint.endpoint.id, workerId);
    return eventStream<XRayEvent>(realClock, ({ send, close }) =>
      endpoint.measureStart({ realClock, startOf }, (event) => {
        send(event);
        if (event.event === 'ready' || event.event === 'failed') close();
      }),
    );
  });
}
