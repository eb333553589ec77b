import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Aborted when the caller hangs up, or has been answered. */
export function whenClosed(emitter: ServerResponse | Duplex): AbortSignal {
  if (emitter.closed) return AbortSignal.abort();
  const controller = new AbortController();
  emitter.once('close', () => controller.abort());
  return controller.signal;
}
