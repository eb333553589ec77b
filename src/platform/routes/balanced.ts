import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { MAX_ROUTE_BYTES, ROUTE_METHODS, WORKER_ID_HEADER } from '../../contract/route.ts';
import { INVOKE_PERMISSION } from '../../contract/permissions.ts';
import { answerRefusal, refuseUpgrade } from '../balancer/answer.ts';
import type { BalancedEndpoint, Reservation } from '../balancer/balancedEndpoint.ts';
import { ForwardedRequest } from '../balancer/forwardedRequest.ts';
import { requestHeaders } from '../balancer/headers.ts';
import { BalancerRefusal, notForQueues, requestTooLarge } from '../balancer/refusals.ts';
import { RouteSpans, type ForwardedTrace } from '../balancer/routeSpans.ts';
import { forwardUpgrade } from '../balancer/upgrade.ts';
import { parseAffinity } from '../domain/balancing.ts';
import type { Caller } from '../domain/account.ts';
import { invocationStatus, Refusal } from '../domain/refusal.ts';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { HeaderFields, RateLimits } from '../accounts/rateLimits.ts';
import { disconnectOf, type OnDisconnect } from '../http/connections.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import type { Services } from './services.ts';
import { isStorageFull } from '../storageFull.ts';
import { checkAccess, checkHost } from './access.ts';
import { INTERNAL_ERROR, ROUTE_ERRORS, STORAGE_FULL, STORAGE_FULL_HEADERS } from './errors.ts';
import type { ResponseClass } from '../domain/measured.ts';
import type { EndpointMeter } from '../metrics/endpointMeter.ts';

/* Routes of load-balanced endpoints. Handlers use Node's own objects instead of `App`, because they forward bodies without reading them. */

interface Target {
  readonly endpointId: string;
  /** Path and query for the worker, unchanged. */
  readonly path: string;
  /** Part of the caller's path before the worker's path. */
  readonly prefix: string;
}

/** Parts of a request that name its destination. */
interface Addressed {
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined };
}

const PREFIX = /^\/endpoints\/([^/?]+)/;
const HOST = /^([^.:]+)\.localhost(?::\d+)?$/i;

/** Returns the endpoint in the path, or in the host name as on the hosted platform; undefined for other requests. */
function targetOf({ url = '', headers: { host = '' } }: Addressed): Target | undefined {
  if (!url.startsWith('/')) return undefined;
  const byHost = HOST.exec(host)?.[1];
  if (byHost !== undefined) return { endpointId: byHost.toLowerCase(), path: url, prefix: '' };
  const [prefix, endpointId] = PREFIX.exec(url) ?? [];
  if (prefix === undefined || endpointId === undefined) return undefined;
  const path = url.slice(prefix.length);
  return { endpointId, path: path.startsWith('/') ? path : `/${path}`, prefix };
}

/** Returns true if the request is for a load-balanced endpoint. */
export const isForWorker = (incoming: Addressed): boolean => targetOf(incoming) !== undefined;

/** Documented methods, plus HEAD and OPTIONS. */
const METHODS: readonly string[] = [...ROUTE_METHODS, 'HEAD', 'OPTIONS'];

interface Access {
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  readonly port: () => number;
  readonly publicUrl: URL | undefined;
  readonly log: Logger;
}

export function balancedRoutes(
  { engine, spans: sink, realClock }: Services,
  { authenticator, limits, port, publicUrl, log }: Access,
) {
  /** @throws Refusal, synchronously or through the promise */
  const identify = (incoming: IncomingMessage): Caller | Promise<Caller> => {
    checkHost(incoming, port(), publicUrl);
    return authenticator.authenticate(incoming.headers);
  };

  /** @throws BalancerRefusal, Refusal */
  const admit = (incoming: IncomingMessage, target: Target, caller: Caller): BalancedEndpoint => {
    const { method = '' } = incoming;
    checkAccess(caller, INVOKE_PERMISSION, target.endpointId);
    if (!METHODS.includes(method)) {
      throw new BalancerRefusal(404, 'not found', `routes do not support ${method}`, {
        Allow: METHODS.join(', '),
      });
    }
    const endpoint = endpointsOf(engine, caller.accountId).get(target.endpointId);
    if (endpoint.type !== 'LOAD_BALANCER') throw notForQueues();
    return endpoint;
  };

  /** @throws BalancerRefusal */
  const reserve = (
    endpoint: BalancedEndpoint,
    { headers }: IncomingMessage,
    onDisconnect: OnDisconnect,
  ): Reservation | Promise<Reservation> => {
    if (Number(headers['content-length'] ?? 0) > MAX_ROUTE_BYTES) throw requestTooLarge();
    return endpoint.reserve(parseAffinity(joined(headers[AFFINITY_HEADER])), onDisconnect);
  };

  /** Begins the spans of a request, if traces are exported. */
  const spansOf = (incoming: IncomingMessage, { endpoint }: BalancedEndpoint, path: string): RouteSpans | undefined =>
    sink && new RouteSpans({ sink, clock: realClock }, incoming, { endpoint, path });

  /** Converts an error to a refusal. Logs unexpected errors. */
  const refusalOf = (error: unknown, { method }: IncomingMessage, target: Target): BalancerRefusal => {
    if (error instanceof BalancerRefusal) return error;
    if (error instanceof Refusal) {
      const status = invocationStatus(error.status);
      return new BalancerRefusal(status, ROUTE_ERRORS[status], error.message, error.headers);
    }
    log.error({ err: error, method, endpointId: target.endpointId }, 'request to a load-balanced endpoint failed');
    if (isStorageFull(error)) return new BalancerRefusal(500, ROUTE_ERRORS[500], STORAGE_FULL, STORAGE_FULL_HEADERS);
    return new BalancerRefusal(500, ROUTE_ERRORS[500], INTERNAL_ERROR);
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse, target: Target): Promise<void> => {
    let quotaHeaders: HeaderFields | undefined;
    let measured: MeasuredRequest | undefined;
    let spans: RouteSpans | undefined;
    let refusal: BalancerRefusal | undefined;
    try {
      const identified = identify(incoming);
      const caller = identified instanceof Promise ? await identified : identified;
      if (response.closed) return;
      quotaHeaders = limits.count(caller, 'invocations');
      const endpoint = admit(incoming, target, caller);
      measured = new MeasuredRequest(endpoint.meter, response);
      const { path } = target;
      spans = spansOf(incoming, endpoint, path);
      if (spans) response.once('close', () => spans?.end(statusOf(response), refusal));
      const turn = reserve(endpoint, incoming, disconnectOf(response));
      const { workerId, server, clock, end } = turn instanceof Promise ? await turn : turn;
      measured.workerId = workerId;
      const { pool, address } = server;
      const headers = headersFor(incoming, target, spans?.forward({ workerId, address }));
      const { limitMs } = endpoint.settings;
      const onEnd: typeof end = spans
        ? (failure) => {
            refusal = failure;
            spans?.responded(failure || !response.headersSent ? undefined : response.statusCode, failure);
            end(failure);
          }
        : end;
      const rest = { pool, port: address.port, workerId, limitMs, clock, ourHeaders: quotaHeaders, onEnd };
      new ForwardedRequest({ incoming, response, headers, path, ...rest });
    } catch (error) {
      measured?.refuse();
      refusal = refusalOf(error, incoming, target);
      if (!response.closed) answerRefusal(incoming, response, refusal, quotaHeaders);
    }
  };

  const upgrade = async (incoming: IncomingMessage, socket: Duplex, head: Buffer, target: Target): Promise<void> => {
    let quotaHeaders: HeaderFields | undefined;
    let spans: RouteSpans | undefined;
    try {
      const caller = await identify(incoming);
      if (socket.destroyed) return;
      quotaHeaders = limits.count(caller, 'invocations');
      const endpoint = admit(incoming, target, caller);
      const { path } = target;
      spans = spansOf(incoming, endpoint, path);
      const { workerId, server, clock, markUpgraded, end } = await reserve(endpoint, incoming, disconnectOf(socket));
      const { address } = server;
      const headers = headersFor(incoming, target, spans?.forward({ workerId, address }));
      const { limitMs } = endpoint.settings;
      const rest = { path, workerId, address, limitMs, clock, ourHeaders: quotaHeaders };
      // The spans end with the response, because the connection can last for hours.
      const onResponded = (status: number): void => {
        spans?.responded(status);
        spans?.end(status);
      };
      const onEnd: typeof end = (failure) => {
        spans?.responded(undefined, failure);
        spans?.end(failure?.status, failure);
        end(failure);
      };
      forwardUpgrade({ incoming, socket, head, headers, ...rest, onResponded, onUpgraded: markUpgraded, onEnd });
    } catch (error) {
      const refusal = refusalOf(error, incoming, target);
      spans?.end(socket.destroyed ? undefined : refusal.status, refusal);
      if (!socket.destroyed) refuseUpgrade(socket, refusal, quotaHeaders);
    }
  };

  return {
    /** Returns a listener that serves load-balanced endpoints and passes other requests on. */
    before:
      (others: RequestListener): RequestListener =>
      (incoming, response) => {
        const target = targetOf(incoming);
        if (target) void serve(incoming, response, target);
        else others(incoming, response);
      },
    /** Returns true if the request may upgrade its connection. Only WebSockets of workers may. */
    isUpgrade: (incoming: IncomingMessage): boolean => isWebSocket(incoming) && targetOf(incoming) !== undefined,
    upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
      const target = targetOf(incoming);
      if (target && isWebSocket(incoming)) void upgrade(incoming, socket, head, target);
      else
        refuseUpgrade(
          socket,
          new BalancerRefusal(400, 'no upgrade', 'only load-balanced endpoints support WebSockets'),
        );
    },
  };
}

const AFFINITY_HEADER = WORKER_ID_HEADER.toLowerCase();

const isWebSocket = ({ headers: { upgrade = '' } }: IncomingMessage): boolean => upgrade.toLowerCase() === 'websocket';

/**
 * Returns the headers for the worker. Call it only once the request has a worker: the address of the caller costs a system call, and thousands of
 * requests can arrive together and wait.
 */
const headersFor = (
  { headers, rawHeaders, socket }: IncomingMessage,
  { prefix }: Target,
  trace: ForwardedTrace | undefined,
): string[] =>
  requestHeaders(
    rawHeaders,
    {
      host: headers.host ?? '',
      address: socket.remoteAddress ?? '',
      prefix,
      forwardedFor: joined(headers['x-forwarded-for']),
    },
    trace,
  );

/** Returns the status of a response that was sent completely. */
const statusOf = ({ writableFinished, statusCode }: ServerResponse): number | undefined =>
  writableFinished ? statusCode : undefined;

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}

/** Measures a load-balanced request from its arrival to the end of its response. */
class MeasuredRequest {
  /** Worker that received the request. */
  workerId: string | undefined;
  #refused = false;

  constructor(meter: EndpointMeter, response: ServerResponse) {
    // Avoids `performance.now`, which would load the global `performance` for this purpose only.
    const began = process.hrtime.bigint();
    meter.arrived();
    response.once('close', () => {
      const ms = Number(process.hrtime.bigint() - began) / 1_000_000;
      meter.responded(this.workerId, this.#classOf(response), ms);
    });
  }

  /** Records that the platform has refused the request. */
  refuse(): void {
    this.#refused = true;
  }

  #classOf({ writableFinished, statusCode }: ServerResponse): ResponseClass {
    if (!writableFinished) return 'disconnected';
    if (this.#refused) return 'refused';
    return CLASSES[Math.floor(statusCode / 100)] ?? '5xx';
  }
}

const CLASSES: Readonly<Partial<Record<number, ResponseClass>>> = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' };
