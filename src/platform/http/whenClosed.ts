import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Returns a signal that aborts if the caller disconnects before the whole response is sent. */
export function whenClosed(emitter: ServerResponse | Duplex): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!emitter.writableFinished) controller.abort();
  };
  if (emitter.closed) onClose();
  else emitter.once('close', onClose);
  return controller.signal;
}
