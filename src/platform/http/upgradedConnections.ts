import type { Duplex } from 'node:stream';
import type { Clock } from '../time/clock.ts';

/** What is on its way to a caller when a worker has ended may take that long to arrive, in ms. */
const LAST_WORDS_MS = 500;

/** Connections that are no longer HTTP: a server that is closed waits for them, and does not end them. */
export class UpgradedConnections {
  readonly #open = new Set<Duplex>();

  add(socket: Duplex): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Their workers are gone. Resolves when all are closed, by force where a caller takes in nothing any more. */
  async end(clock: Clock): Promise<void> {
    const closed = [...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    if (closed.length === 0) return;
    const cancel = clock.after(LAST_WORDS_MS, () => {
      for (const socket of this.#open) socket.destroy();
    });
    await Promise.all(closed);
    cancel();
  }
}
