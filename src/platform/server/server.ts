import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAnyAddress } from '../http/loopback.ts';
import { ADDRESS_PATHS } from '../routes/route.ts';
import type { PlatformAddresses } from '../routes/services.ts';
import { Roster } from '../roster.ts';

const LOOPBACK = '127.0.0.1';
/**
 * Maximum number of connections that the system keeps until the server accepts them, which is one in each turn of the event loop. The system
 * discards others, and their callers try again only after a second. Node's default of 511 is too small for thousands of callers.
 */
const BACKLOG = 4_096;

export interface Handlers {
  readonly request: RequestListener;
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly isUpgrade: (incoming: IncomingMessage) => boolean;
}

/** An IP address and a port to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Time limits for callers, in ms of real time. */
interface CallerTimeouts {
  /** Limit for the head of a request, from the connection's start or the first byte, and for progress of a body. */
  readonly silenceMs: number;
  /** Limit for the next request on the same connection. */
  readonly idleMs: number;
  /** Interval between checks of the connections. They may exceed a limit by this much. */
  readonly checkMs: number;
}

/**
 * Closes half-open connections within a minute. Idle connections stay open for longer than the pools of common clients keep them: aiohttp 15 s,
 * Go 90 s. A client that is busy, such as a Python worker whose handler blocks the event loop, does not notice the end of a connection, and
 * would lose the result that it sends there. Responses announce the limit.
 */
const CALLER_TIMEOUTS: CallerTimeouts = { silenceMs: 45_000, idleMs: 100_000, checkMs: 10_000 };

/** Creates a server. It reads `handlers` for every request, so they may change while it runs. */
export function createServer(handlers: Handlers, timeouts: CallerTimeouts = CALLER_TIMEOUTS): Server {
  const { silenceMs, idleMs, checkMs } = timeouts;
  const bodies = new StalledBodies();
  const turns = new CallerTurns();
  const serve: RequestListener = (incoming, response) => {
    turns.onRequest(incoming, response);
    bodies.watch(incoming, response);
    handlers.request(incoming, response);
  };
  const options: ServerOptions = {
    ...upgradesOnlyIf((incoming) => handlers.isUpgrade(incoming)),
    headersTimeout: silenceMs,
    // A limit for whole requests would abort long uploads. StalledBodies watches the progress of bodies instead.
    requestTimeout: 0,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // TCP keep-alive probes detect callers that disappeared, and close their connections, even upgraded ones.
    keepAlive: true,
    keepAliveInitialDelay: silenceMs,
  };
  const server = createHttpServer(options, serve);
  server.on('connection', (socket) => turns.onConnection(socket));
  // Ignores unknown Expect values: only "100-continue" is defined, and RFC 9110, section 10.1.1, allows serving the request anyway.
  server.on('checkExpectation', serve);
  const checking = setInterval(() => bodies.closeStalled(silenceMs), checkMs).unref();
  server.once('close', () => clearInterval(checking));
  server.on('upgrade', (incoming, socket, head) => {
    turns.onUpgrade(socket);
    handlers.upgrade(incoming, socket, head);
  });
  return server;
}

/**
 * Ignores `Upgrade` headers, which some clients send with every request, unless the request is for a WebSocket. Node before 22.21 and
 * the type definitions do not have the option. Such a Node refuses the other upgrades.
 */
function upgradesOnlyIf(wanted: (incoming: IncomingMessage) => boolean): ServerOptions {
  const options: ServerOptions & { shouldUpgradeCallback: typeof wanted } = { shouldUpgradeCallback: wanted };
  return options;
}

/** Starts to listen, by default on the loopback interface. Port 0 selects a free port. @throws the system's error, such as EADDRINUSE */
export function listen(server: Server, port: number, host = LOOPBACK): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Closes the server and every connection, including connections with a pending response. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

/** Returns the host at which programs on this machine reach the server. */
function hostOf(server: Server): string {
  const { address = LOOPBACK } = (server.address() as AddressInfo | null) ?? {};
  if (isAnyAddress(address)) return LOOPBACK;
  return isIPv6(address) ? `[${address}]` : address;
}

/** @param origin origin of the addresses. Default: that of the server for programs on this machine */
export function addressesOf(server: Server, origin = `http://${hostOf(server)}:${portOf(server)}`): PlatformAddresses {
  const { baseUrl, restUrl, queueUrl, endpointHost } = ADDRESS_PATHS;
  return {
    baseUrl: origin + baseUrl,
    restUrl: origin + restUrl,
    queueUrl: origin + queueUrl,
    endpointHost: origin + endpointHost,
    s3Url: origin,
  };
}

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
class StalledBodies {
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

/** Maximum number of requests, and of disconnects, that are handled in one turn of the event loop. */
const PER_TURN = 50;

/**
 * Divides the requests and disconnects of thousands of callers over turns of the event loop, so that a small question waits for few of them.
 * Node.js handles all connections in one turn that it can read.
 */
class CallerTurns {
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
