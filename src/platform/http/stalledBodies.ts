import type { IncomingMessage, ServerResponse } from 'node:http';
import { Roster } from '../roster.ts';

/** Minimum number of bytes that must arrive within `stallMs`. Fewer bytes do not count as progress. */
const MIN_PROGRESS_BYTES = 1_024;

interface Reading {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  bytes: number;
  /** Time of the last progress, in ms since the epoch. */
  since: number;
}

/**
 * Closes the connections of requests whose bodies stop arriving. A body counts as stalled only while it is being read and the response
 * has not started. Before that, the caller waits for the platform. After that, the caller may be reading before it sends more.
 */
export class StalledBodies {
  readonly #waiting = new Roster<Reading>();

  /** Starts watching a request. Call this as soon as the request arrives. */
  watch(incoming: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
    if (length === '0' && encoding === undefined) return;
    const place = this.#waiting.add({ incoming, response, bytes: incoming.socket.bytesRead, since: Date.now() });
    incoming.once('close', () => this.#waiting.remove(place));
  }

  /** Closes the connections of bodies without progress for `silenceMs`. */
  closeStalled(stallMs: number): void {
    const now = Date.now();
    for (const reading of this.#waiting.members()) {
      const { incoming, response } = reading;
      const { socket, readableFlowing, complete } = incoming;
      const isExpected = readableFlowing === true && !complete && !response.headersSent;
      if (!isExpected || socket.bytesRead - reading.bytes >= MIN_PROGRESS_BYTES) {
        reading.bytes = socket.bytesRead;
        reading.since = now;
      } else if (now - reading.since >= stallMs) socket.destroy();
    }
  }
}
