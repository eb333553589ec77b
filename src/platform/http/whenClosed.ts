import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Calls back if the caller disconnects before the whole response is sent. Returns a function that ends this. */
export type OnDisconnect = (listener: () => void) => () => void;

/** Returns the disconnect of a response, or of a request to upgrade. It costs a fraction of an `AbortSignal`, for thousands of callers. */
export const disconnectOf =
  (emitter: ServerResponse | Duplex): OnDisconnect =>
  (listener) => {
    const onClose = (): void => {
      if (!emitter.writableFinished) listener();
    };
    if (emitter.closed) onClose();
    else emitter.once('close', onClose);
    return () => emitter.off('close', onClose);
  };

/** Returns a signal that aborts if the caller disconnects before the whole response is sent. */
export function whenClosed(emitter: ServerResponse | Duplex): AbortSignal {
  const controller = new AbortController();
  disconnectOf(emitter)(() => controller.abort());
  return controller.signal;
}
