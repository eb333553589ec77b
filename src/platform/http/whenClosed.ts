import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Aborted when the caller hangs up before it has its whole answer. */
export function whenClosed(emitter: ServerResponse | Duplex): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!emitter.writableFinished) controller.abort();
  };
  if (emitter.closed) onClose();
  else emitter.once('close', onClose);
  return controller.signal;
}
