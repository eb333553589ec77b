import { STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { ActiveFault } from '../../contract/control/control.ts';
import { WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import type { Clock } from '../time/clock.ts';
import { s3ErrorBody } from '../files/s3Failure.ts';
import { isSigned } from '../files/signedRequest.ts';
import { isForWorker } from '../routes/balanced.ts';
import { errorBody, errorFormAt } from '../routes/errors.ts';
import { Roster } from '../roster.ts';
import { Faults } from './faults.ts';
import { operationOf, pathOf } from './operationOf.ts';
import { RequestLog } from './requestLog.ts';

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
