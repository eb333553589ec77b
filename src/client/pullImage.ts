import { PullEvent, type PullImageBody } from '../contract/control/controlImages.ts';
import { controlOperations } from '../contract/control/controlOperations.ts';
import type { RequestContext } from './context.ts';
import { controlEvents } from './controlEvents.ts';

/**
 * Pulls an image on the engine of a local platform. Yields each event; `done` or `failed` is the last one. The signal, and the end of the
 * iteration, cancel the pull.
 *
 * @throws ApiError if the request is refused, is canceled, or ends before the last event
 */
export function pullImage(
  context: RequestContext,
  body: PullImageBody,
  signal: AbortSignal,
): AsyncGenerator<PullEvent, void> {
  const stream = {
    ...{ operation: 'pullImage', row: controlOperations.pullImage, body, event: PullEvent },
    isLast: ({ event }: PullEvent) => event === 'done' || event === 'failed',
  };
  return controlEvents(context, stream, signal);
}
