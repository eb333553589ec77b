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
import { WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import type { Logger } from 'pino';
import { RateLimits, type RateLimitOptions } from '../accounts/rateLimits.ts';
import { isAnyAddress } from '../http/loopback.ts';
import { App } from '../http/app.ts';
import { callerRequired, checkHost } from '../routes/access.ts';
import type { App as Routes, PlatformAddresses, Services } from '../routes/services.ts';
import { isSigned } from '../files/signedRequest.ts';
import { balancedRoutes, isForWorker } from '../routes/balanced.ts';
import { billingRoutes } from '../routes/billing.ts';
import {
  catalogRoutes,
  registryRoutes,
  templateRoutes,
  globalVolumeRoutes,
  networkVolumeRoutes,
} from '../routes/resources.ts';
import { endpointRoutes } from '../routes/endpoints.ts';
import { errorHooks } from '../routes/errors.ts';
import { imageEditRoutes, imageRoutes } from '../routes/imageEdit.ts';
import { jobRoutes } from '../routes/jobs.ts';
import { metricsRoute } from '../routes/metrics.ts';
import { openAiRoutes } from '../routes/openAi.ts';
import { openApiRoute } from '../routes/openapi.ts';
import { ADDRESS_PATHS } from '../routes/route.ts';
import { workerLogRoutes } from '../routes/workerLogs.ts';
import { workerProtocolRoutes } from '../routes/workerProtocol.ts';
import type { Store } from '../store/store.ts';
import { Roster } from '../roster.ts';
import { CallerTurns } from './callerTurns.ts';

const LOOPBACK = '127.0.0.1';
/**
 * Maximum number of connections that the system keeps until the server accepts them, which is one in each turn of the event loop. The system
 * discards others, and their callers try again only after a second. Node's default of 511 is too small for thousands of callers.
 */
const BACKLOG = 4_096;

const WORKER_PREFIX = `${WORKER_PATH}/`;
const PREFIXES = { worker: WORKER_PREFIX, queue: `${ADDRESS_PATHS.queueUrl}/` } as const;

interface HandlerOptions {
  readonly rateLimits: RateLimitOptions | undefined;
  readonly store: Pick<Store, 'flush' | 'flushSoon'>;
  readonly log: Logger;
  readonly port: () => number;
  /** Origin at which callers reach the platform through a proxy, if any. */
  readonly publicUrl: URL | undefined;
  readonly s3: RequestListener;
}

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

/** The handlers of a platform instance. */
export interface InstanceHandlers extends Handlers {
  /** Serves the worker protocol only. */
  readonly worker: RequestListener;
  /** Serves the metrics only, on any port. */
  readonly metrics: RequestListener;
}

/** Creates the handlers of the interface: authentication, limits, routes, and errors. */
export function createHandlers(
  services: Services,
  { rateLimits, store, log, port, publicUrl, s3 }: HandlerOptions,
): InstanceHandlers {
  const app: Routes = new App();
  openApiRoute(app, services);
  imageRoutes(app, services);
  endpointRoutes(app, services);
  workerLogRoutes(app, services);
  templateRoutes(app, services);
  registryRoutes(app, services);
  networkVolumeRoutes(app, services);
  globalVolumeRoutes(app, services);
  catalogRoutes(app);
  billingRoutes(app, services);
  imageEditRoutes(app, services);
  jobRoutes(app, services);
  openAiRoutes(app, services);
  metricsRoute(app, services);
  workerProtocolRoutes(app, services);
  const { authenticator } = services;
  const limits = new RateLimits(services.clock, rateLimits);
  const callerOf = callerRequired(authenticator, limits, PREFIXES);
  const listener = app.listener({
    before: (exchange, open) => {
      checkHost(exchange.incoming, port(), publicUrl);
      return open ? undefined : callerOf(exchange);
    },
    // Writes the changes of a request to disk before the response.
    after: ({ method, path }) => {
      if (method === 'GET') return undefined;
      if (!path.startsWith(WORKER_PREFIX)) return store.flush();
      // Only a crash of this machine loses a worker's message, and it also ends the worker. The job then runs again.
      store.flushSoon();
      return undefined;
    },
    ...errorHooks(log),
  });
  const balanced = balancedRoutes(services, { authenticator, limits, port, publicUrl, log });
  // Load-balanced routes come first, because their responses are forwarded unchanged.
  const request = balanced.before(listener);
  return {
    ...{ request: s3First(s3, request), upgrade: balanced.upgrade, isUpgrade: balanced.isUpgrade },
    worker: workerListener(services, { store, log }),
    metrics: metricsListener(services, { limits, log }),
  };
}

/** Serves signed requests to the platform itself as S3. A worker may have its own use for signatures. */
function s3First(s3: RequestListener, others: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const isS3 = isSigned(incoming) && !isForWorker(incoming);
    (isS3 ? s3 : others)(incoming, outgoing);
  };
}

/**
 * Serves the worker protocol to workers that use the worker gate. A worker's token protects each request, so the Host header is not
 * checked: it names the platform as the worker's network sees it. All other paths get the same response without content.
 */
function workerListener(services: Services, { store, log }: Pick<HandlerOptions, 'store' | 'log'>): RequestListener {
  const app: Routes = new App();
  workerProtocolRoutes(app, services);
  return app.listener({
    before: () => undefined,
    after: () => store.flushSoon(),
    onError: errorHooks(log).onError,
    unmatched: () => ({ status: 404 }),
  });
}

/** Serves the metrics on an address of their own, to callers with a key. */
function metricsListener(
  services: Services,
  { limits, log }: Pick<HandlerOptions, 'log'> & { readonly limits: RateLimits },
): RequestListener {
  const app: Routes = new App();
  metricsRoute(app, services);
  const callerOf = callerRequired(services.authenticator, limits, PREFIXES);
  return app.listener({
    before: (exchange) => {
      checkHost(exchange.incoming, exchange.incoming.socket.localPort ?? 0);
      return callerOf(exchange);
    },
    ...errorHooks(log),
  });
}

/** Time limits for callers, in ms of real time. */
export interface CallerTimeouts {
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
