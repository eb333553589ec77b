import type { IncomingMessage, ServerResponse } from 'node:http';
import { Roster } from '../roster.ts';

/** Minimum number of bytes that must arrive within the silence limit. A trickle of bytes does not count as progress. */
const LEAST_BYTES = 1_024;

interface Seen {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  bytes: number;
  /** Time of the last progress, in ms since the epoch. */
  since: number;
}

/**
 * Closes the connections of requests whose bodies stop arriving. A body counts as stalled only while it is being read and the response
 * has not started. Before that, the caller waits for the platform; after that, both sides may be in a conversation.
 */
export class StalledBodies {
  readonly #waiting = new Roster<Seen>();

  /** Starts watching a request. Call this as soon as the request arrives. */
  watch(incoming: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
    if (length === '0' && encoding === undefined) return;
    const place = this.#waiting.add({ incoming, response, bytes: incoming.socket.bytesRead, since: Date.now() });
    incoming.once('close', () => this.#waiting.remove(place));
  }

  /** Closes the connections of bodies without progress for `silenceMs`. */
  cutOff(silenceMs: number): void {
    const now = Date.now();
    for (const seen of this.#waiting.members()) {
      const { incoming, response } = seen;
      const { socket, readableFlowing, complete } = incoming;
      const isOwed = readableFlowing === true && !complete && !response.headersSent;
      if (!isOwed || socket.bytesRead - seen.bytes >= LEAST_BYTES) {
        seen.bytes = socket.bytesRead;
        seen.since = now;
      } else if (now - seen.since >= silenceMs) socket.destroy();
    }
  }
}
