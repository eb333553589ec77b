import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Roster } from '../roster.ts';

/** Maximum number of requests, and of disconnects, that are handled in one turn of the event loop. */
const PER_TURN = 50;

/**
 * Divides the requests and disconnects of thousands of callers over turns of the event loop, so that a small question waits for few of them.
 * Node.js handles all connections in one turn that it can read.
 */
export class CallerTurns {
  /** Connections before their first request. A caller that keeps its connection does not wait for the arrival of others. */
  readonly #requests = new EventLimit();
  /** Connections with a request in progress. */
  readonly #disconnects = new EventLimit();
  /** Functions that remove connections from their limit. */
  readonly #leave = new WeakMap<Duplex, () => void>();

  onConnection(socket: Duplex): void {
    this.#leave.set(socket, this.#requests.add(socket));
    const onDisconnect = (): void => this.#disconnects.count();
    socket.once('end', onDisconnect).once('error', onDisconnect);
    socket.once('close', () => this.#leave.get(socket)?.());
  }

  onRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#arrived(socket);
    const leave = this.#disconnects.add(socket);
    this.#leave.set(socket, leave);
    response.once('finish', leave);
  }

  onUpgrade(socket: Duplex): void {
    this.#arrived(socket);
  }

  #arrived(socket: Duplex): void {
    this.#leave.get(socket)?.();
    this.#leave.delete(socket);
    this.#requests.count();
  }
}

/** Stops reading its connections after `PER_TURN` events in one turn of the event loop, and reads as many of them in each further turn. */
class EventLimit {
  readonly #connections = new Roster<Duplex>();
  #held: Duplex[] = [];
  #left = PER_TURN;
  #turnPlanned = false;

  /** Adds a connection. Returns a function that removes it. */
  add(socket: Duplex): () => void {
    const place = this.#connections.add(socket);
    return () => {
      this.#connections.remove(place);
      resume(socket);
    };
  }

  /** Counts an event of any connection. */
  count(): void {
    this.#planTurn();
    this.#left--;
    if (this.#left !== 0) return;
    for (const socket of this.#connections.members()) if (!socket.isPaused()) this.#held.push(socket.pause());
  }

  #planTurn(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    setImmediate(() => {
      this.#turnPlanned = false;
      this.#left = PER_TURN;
      for (const socket of this.#held.splice(0, PER_TURN)) resume(socket);
      if (this.#held.length > 0) this.#planTurn();
    });
  }
}

/** Resumes a paused connection. One that has been upgraded in the meantime is not paused, and would lose data without a reader. */
function resume(socket: Duplex): void {
  if (socket.isPaused()) socket.resume();
}
