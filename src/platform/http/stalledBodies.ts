import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a body must bring in the time that it may be silent, in bytes: one that comes by drops is no progress. */
const LEAST_BYTES = 1_024;

interface Seen {
  readonly response: ServerResponse;
  bytes: number;
  /** When so many had come, in ms since the epoch. */
  since: number;
}

/**
 * Requests whose bodies have not arrived, of which those that stop to come are cut off. A caller is at fault only while its body is being
 * read and nothing has been answered: before, it waits for us, and after, the two may be in a conversation.
 */
export class StalledBodies {
  readonly #waiting = new Map<IncomingMessage, Seen>();

  /** To be called as soon as the request is there. */
  watch(incoming: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
    if (length === '0' && encoding === undefined) return;
    this.#waiting.set(incoming, { response, bytes: incoming.socket.bytesRead, since: Date.now() });
    incoming.once('close', () => this.#waiting.delete(incoming));
  }

  /** Closes the connections of those that have been silent for that many ms. */
  cutOff(silenceMs: number): void {
    const now = Date.now();
    for (const [incoming, seen] of this.#waiting) {
      const { socket, readableFlowing, complete } = incoming;
      const isOwed = readableFlowing === true && !complete && !seen.response.headersSent;
      if (!isOwed || socket.bytesRead - seen.bytes >= LEAST_BYTES) {
        seen.bytes = socket.bytesRead;
        seen.since = now;
      } else if (now - seen.since >= silenceMs) socket.destroy();
    }
  }
}
