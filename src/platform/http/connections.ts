import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../time/clock.ts';

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

/** Time in ms for the last data of an ended worker to reach the caller. */
const DRAIN_TIMEOUT_MS = 500;

/** Connections that have switched protocols, such as WebSockets. Closing a server waits for them but does not end them. */
export class UpgradedConnections {
  readonly #open = new Set<Duplex>();

  add(socket: Duplex): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Resolves once all connections are closed. Destroys connections that stay open too long. Call it after their workers have ended. */
  async drain(clock: Clock): Promise<void> {
    const closed = [...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    if (closed.length === 0) return;
    const cancel = clock.after(DRAIN_TIMEOUT_MS, () => {
      for (const socket of this.#open) socket.destroy();
    });
    await Promise.all(closed);
    cancel();
  }
}
