import { XRayEvent } from '../contract/control/controlTraces.ts';
import { controlTraceOperations } from '../contract/control/traceOperations.ts';
import type { RequestContext } from './context.ts';
import { controlEvents } from './controlEvents.ts';

/**
 * Measures the start of a further worker of a local platform. Yields each event; `ready` or `failed` is the last one. The signal, and the end
 * of the iteration, end the worker.
 *
 * @throws ApiError if the request is refused, is canceled, or ends before the last event
 */
export function xRayStart(
  context: RequestContext,
  endpointId: string,
  signal: AbortSignal,
): AsyncGenerator<XRayEvent, void> {
  const stream = {
    ...{ operation: 'xRayStart', row: controlTraceOperations.xRayStart, parameters: { endpointId }, body: undefined },
    event: XRayEvent,
    isLast: ({ event }: XRayEvent) => event === 'ready' || event === 'failed',
  };
  return controlEvents(context, stream, signal);
}
