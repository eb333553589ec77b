import { DebugEvent, type DebugBody } from '../contract/control/controlWorkers.ts';
import { controlOperations } from '../contract/control/controlOperations.ts';
import type { RequestContext } from './context.ts';
import { controlEvents } from './controlEvents.ts';

/**
 * Holds a worker of a local platform for a debugger. Yields each event; `ended` or `failed` is the last one. The signal, and the end of the
 * iteration, release the worker.
 *
 * @throws ApiError if the request is refused, is canceled, or ends before the last event
 */
export function debugWorker(
  context: RequestContext,
  endpointId: string,
  body: DebugBody,
  signal: AbortSignal,
): AsyncGenerator<DebugEvent, void> {
  const stream = {
    ...{ operation: 'debugWorker', row: controlOperations.debugWorker, parameters: { endpointId }, body },
    event: DebugEvent,
    isLast: ({ event }: DebugEvent) => event === 'ended' || event === 'failed',
  };
  return controlEvents(context, stream, signal);
}
