import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Calls back if a caller disconnects before the whole response is sent. Returns a function that ends this. */
export type OnDisconnect = (listener: () => void) => () => void;

/** Returns `OnDisconnect` for a response or an upgraded connection. It costs a fraction of an `AbortSignal`, for thousands of callers. */
export function disconnectOf(emitter: ServerResponse | Duplex): OnDisconnect {
  return (listener) => {
    const onClose = (): void => {
      if (!emitter.writableFinished) listener();
    };
    if (emitter.closed) onClose();
    else emitter.once('close', onClose);
    return () => emitter.off('close', onClose);
  };
}

/** Returns a signal that aborts if the caller disconnects before the whole response is sent. */
export function whenClosed(emitter: ServerResponse | Duplex): AbortSignal {
  const controller = new AbortController();
  disconnectOf(emitter)(() => controller.abort());
  return controller.signal;
}
