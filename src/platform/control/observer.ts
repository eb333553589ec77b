import { STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { ActiveFault, Fault, LoggedRequest, RequestLogQuery } from '../../contract/control/control.ts';
import { WORKER_PATH, MAX_LOGGED_REQUESTS } from '../../contract/launch/localPlatform.ts';
import type { Clock } from '../time/clock.ts';
import { s3ErrorBody } from '../files/s3Failure.ts';
import { isSigned } from '../files/signedRequest.ts';
import { isForWorker } from '../routes/balanced.ts';
import { errorBody, errorFormAt } from '../routes/errors.ts';
import { Roster } from '../roster.ts';
import type { Operation } from '../../contract/operation.ts';
import { operations, type OperationId } from '../../contract/operations.ts';
import type { routeOperations } from '../../contract/operations/routes.ts';
import { PathTree } from '../http/pathTree.ts';
import { ADDRESS_PATHS } from '../routes/route.ts';
import { notFound } from '../domain/refusal.ts';
import { IMAGES_PATH } from '../images/imageAddress.ts';
import { dateTime } from '../../contract/dateTime.ts';

type KnownOperation = OperationId | keyof typeof routeOperations;

/** Parts of a request that identify its operation. */
interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined };
}

const OPERATIONS = new PathTree<OperationId>();
for (const [id, { method, address, path }] of Object.entries<Operation>(operations)) {
  OPERATIONS.add(method, ADDRESS_PATHS[address] + path, id as OperationId);
}

/** Returns the operation of a request; undefined if the API has no such operation. */
function operationOf(head: RequestHead): KnownOperation | undefined {
  if (isForWorker(head)) return 'callRoute';
  return OPERATIONS.find(head.method ?? '', pathOf(head))?.value;
}

/** Returns the path of a request without its query. */
function pathOf({ url = '' }: RequestHead): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Injects faults into API requests, and logs the requests. It works on Node's own objects, so it covers every route. */
export class Observer {
  readonly faults = new Faults();
  readonly log = new RequestLog();
  readonly #clock: Clock;
  readonly #realClock: Clock;
  /** Responses that have not ended. */
  readonly #open = new Roster<ServerResponse>();

  constructor(clock: Clock, realClock: Clock) {
    this.#clock = clock;
    this.#realClock = realClock;
  }

  /** Includes the response in `closeConnections`. */
  watch(response: ServerResponse): void {
    const place = this.#open.add(response);
    response.once('close', () => this.#open.remove(place));
  }

  handle(incoming: IncomingMessage, response: ServerResponse, serve: RequestListener): void {
    this.watch(response);
    // Requests of the worker protocol get no faults and are not logged, because the hosted service's API does not include them.
    if (incoming.url?.startsWith(`${WORKER_PATH}/`) === true) {
      serve(incoming, response);
      return;
    }
    const fault = this.faults.isEmpty ? undefined : this.faults.next(operationOf(incoming));
    this.#logWhenClosed(incoming, response, fault);
    if (!fault) serve(incoming, response);
    else if (fault.when === 'after') serve(incoming, this.#faultAfter(incoming, response, fault));
    else this.#faultBefore(incoming, response, fault, serve);
  }

  /** Closes the connections of all unfinished responses. */
  closeConnections(): void {
    for (const response of this.#open.members()) response.destroy();
  }

  #faultBefore(incoming: IncomingMessage, response: ServerResponse, fault: ActiveFault, serve: RequestListener): void {
    const { status, drop, delayMs = 0 } = fault;
    this.#afterDelay(response, delayMs, () => {
      if (status === undefined && drop === undefined) serve(incoming, response);
      else applyFault(incoming, response, fault);
    });
  }

  /** Intercepts the response. The fault applies when the operation starts to respond, and may replace its response. */
  #faultAfter(incoming: IncomingMessage, response: ServerResponse, fault: ActiveFault): ServerResponse {
    const [writeHead, write, end, addTrailers, flushHeaders] = [
      response.writeHead.bind(response),
      response.write.bind(response),
      response.end.bind(response),
      response.addTrailers.bind(response),
      response.flushHeaders.bind(response),
    ];
    const { status, drop, delayMs = 0 } = fault;
    const parts: (() => void)[] = [];
    let begun = false;
    const begin = (): void => {
      if (begun) return;
      begun = true;
      this.#afterDelay(response, delayMs, () => {
        Object.assign(response, { writeHead, write, end, addTrailers, flushHeaders });
        // Restores the getter of the prototype.
        Reflect.deleteProperty(response, 'headersSent');
        if (status === undefined && drop === undefined) for (const part of parts) part();
        else {
          applyFault(incoming, response, fault);
          // Ignores further output of the operation.
          Object.assign(response, { writeHead: () => response, write: () => true, end: () => response });
        }
      });
    };
    const later =
      (method: (...args: never[]) => unknown, result: unknown) =>
      (...args: never[]) => {
        parts.push(() => void method(...args));
        begin();
        return result;
      };
    // Prevents the operation from starting a second response.
    Object.defineProperty(response, 'headersSent', { configurable: true, get: () => begun });
    return Object.assign(response, {
      writeHead: later(writeHead, response),
      write: later(write, true),
      end: later(end, response),
      addTrailers: later(addTrailers, undefined),
      flushHeaders: later(flushHeaders, undefined),
    });
  }

  #afterDelay(response: ServerResponse, ms: number, then: () => void): void {
    if (ms === 0) {
      then();
      return;
    }
    const cancel = this.#realClock.after(ms, () => {
      response.off('close', cancel);
      if (!response.destroyed) then();
    });
    response.once('close', cancel);
  }

  #logWhenClosed(incoming: IncomingMessage, response: ServerResponse, fault: ActiveFault | undefined): void {
    const time = this.#clock.now();
    // Avoids `performance.now`, which would load the global `performance` for this purpose only.
    const began = process.hrtime.bigint();
    const { method, url, headers } = incoming;
    const head = { method, url, headers: { host: headers.host } };
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : undefined;
      const durationMs = Number(process.hrtime.bigint() - began) / 1_000_000;
      this.log.add({ ...head, time, status, durationMs, fault: fault?.id });
    });
  }
}

function applyFault(
  incoming: IncomingMessage,
  response: ServerResponse,
  { drop, status = 500, ...fault }: ActiveFault,
): void {
  if (drop === true || response.headersSent) {
    incoming.socket.destroy();
    return;
  }
  const { detail = `${STATUS_CODES[status] ?? 'failed'} (injected fault)`, headers = {} } = fault;
  const path = pathOf(incoming);
  const isWorkers = isForWorker(incoming);
  const { body, type } =
    !isWorkers && isSigned(incoming)
      ? s3ErrorBody(status, detail, path)
      : errorBody(isWorkers ? 'route' : errorFormAt(path), { status, detail });
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
  // Reads the rest of the body: closing the connection with unread data would discard the response.
  incoming.resume();
}

/** Injected faults that are waiting for requests. */
class Faults {
  readonly #active = new Map<string, ActiveFault>();

  list(): ActiveFault[] {
    return [...this.#active.values()];
  }

  add(fault: Fault): ActiveFault {
    const active = { ...fault, id: randomUUID(), hits: 0 };
    this.#active.set(active.id, active);
    return active;
  }

  /** @throws Refusal 404 */
  remove(id: string): void {
    if (!this.#active.delete(id)) throw notFound(`fault '${id}'`);
  }

  clear(): void {
    this.#active.clear();
  }

  get isEmpty(): boolean {
    return this.#active.size === 0;
  }

  /** Returns the oldest fault that applies to a request of the operation. Removes a fault that has reached its count. */
  next(operation: KnownOperation | undefined): ActiveFault | undefined {
    for (const fault of this.#active.values()) {
      if (fault.operation !== '*' && fault.operation !== operation) continue;
      if (fault.rate < 1 && Math.random() >= fault.rate) continue;
      const hit = { ...fault, hits: fault.hits + 1 };
      if (hit.hits === fault.count) this.#active.delete(fault.id);
      else this.#active.set(fault.id, hit);
      return hit;
    }
    return undefined;
  }
}

/** A finished request. Derived values are computed when the log is read, which is rare. */
interface RequestRecord extends RequestHead {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Undefined if the connection closed before the response started. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** ID of the fault that was injected into the request. */
  readonly fault: string | undefined;
}

/** The most recent requests, at most `MAX_LOGGED_REQUESTS`. */
class RequestLog {
  #requests: RequestRecord[] = [];

  add(request: RequestRecord): void {
    this.#requests.push(request);
    // Trims the list only once it has doubled, because a trim with every request would be slow.
    if (this.#requests.length >= 2 * MAX_LOGGED_REQUESTS) this.#requests = this.#requests.slice(-MAX_LOGGED_REQUESTS);
  }

  /** Newest first. */
  newest({ limit = 100, operation, failed }: z.output<typeof RequestLogQuery>): LoggedRequest[] {
    return this.#requests
      .slice(-MAX_LOGGED_REQUESTS)
      .reverse()
      .map(logged)
      .filter((request) => operation === undefined || operation === '*' || request.operation === operation)
      .filter(({ status = 0 }) => failed === undefined || failed === (status === 0 || status >= 400))
      .slice(0, limit);
  }

  clear(): void {
    this.#requests = [];
  }
}

function logged({ time, status, durationMs, fault, ...head }: RequestRecord): LoggedRequest {
  const path = pathOf(head);
  const operation = operationOf(head);
  return {
    time: dateTime(time),
    method: head.method ?? '',
    // Omits the name of an image, because the name grants access to the image.
    path: path.startsWith(IMAGES_PATH) ? IMAGES_PATH : path,
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status }),
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(fault === undefined ? {} : { fault }),
  };
}
