import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { MAX_ROUTE_BYTES } from '../../contract/route.ts';
import type { HeaderFields } from '../accounts/rateLimits.ts';
import type { Clock } from '../time/clock.ts';
import { answerHeaders, answerTrailers } from './headers.ts';
import { answerRefusal, checkStatusLine } from './answer.ts';
import { answerTooLarge, badAnswer, badGateway, BalancerRefusal, requestTooLarge, timeLimit } from './refusals.ts';

export interface ForwardOptions {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers for the worker, as a flat list of names and values. */
  readonly headers: string[];
  readonly path: string;
  /** Connections to the worker. */
  readonly pool: Pool;
  readonly workerId: string;
  readonly port: number;
  readonly limitMs: number;
  readonly clock: Clock;
  /** Headers added to the response, from the worker or from the balancer. */
  readonly ourHeaders: HeaderFields | undefined;
  /** Called once, at the end of the exchange with the worker. */
  readonly onEnd: (failure: BalancerRefusal | undefined) => void;
}

/** Maximum size of a body that is buffered, in bytes. For small bodies, a stream costs more than the rest of the request. */
const SMALL_BYTES = 16_384;

/**
 * Streams a request to a worker and the response to the caller. When one side disconnects, the other connection is closed. Requests are
 * never retried, because the worker may have already acted on them.
 */
export class ForwardedRequest implements Dispatcher.DispatchHandler {
  readonly #options: ForwardOptions;
  readonly #cancelLimit: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: BalancerRefusal | undefined;
  #answerBytes = 0;
  #dispatched = false;
  #ended = false;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { response, limitMs, clock } = options;
    this.#cancelLimit = clock.after(limitMs, () => this.#abort(timeLimit(limitMs)));
    response.on('close', this.#onClose);
    response.on('drain', this.#onDrain);
    this.#forwardBody();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
    else if (this.#options.response.closed) controller.abort(new Error('the caller disconnected'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, message = ''): void {
    // Informational responses (1xx) are not forwarded.
    if (status < 200) return;
    const { response, workerId, ourHeaders } = this.#options;
    const raw = textsOf(controller.rawHeaders);
    const length = raw.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
    if (length >= 0 && Number(raw[length + 1]) > MAX_ROUTE_BYTES && this.#options.incoming.method !== 'HEAD') {
      this.#abort(answerTooLarge());
      return;
    }
    try {
      const reason = bytesOf(message);
      checkStatusLine(status, reason);
      response.writeHead(status, reason, answerHeaders(raw, workerId, ourHeaders));
    } catch (error) {
      // Node.js keeps the reason phrase that it rejected.
      response.statusMessage = '';
      this.#abort(error instanceof BalancerRefusal ? error : badAnswer((error as Error).message));
      return;
    }
    // Sends data from the same turn of the event loop together with the headers. Later data does not delay the headers.
    process.nextTick(() => {
      if (!this.#ended && this.#answerBytes === 0) response.flushHeaders();
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answerBytes += chunk.byteLength;
    if (this.#answerBytes > MAX_ROUTE_BYTES) this.#abort(answerTooLarge());
    else if (!this.#options.response.write(chunk)) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    const { incoming, response } = this.#options;
    this.#end();
    const trailers = answerTrailers(textsOf(controller.rawTrailers));
    if (trailers.length > 0) response.addTrailers(trailers);
    response.end();
    // A worker may respond before it has read the whole body. A caller that sends everything before it reads would wait forever.
    if (!incoming.complete) incoming.unpipe().resume();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const { response, incoming, port, ourHeaders } = this.#options;
    if (!response.closed) this.#failure ??= badGateway(error, port);
    this.#end();
    if (!this.#failure) return;
    // A response that has started cannot be replaced. Closing the connection reports the failure.
    if (response.headersSent) response.destroy();
    else answerRefusal(incoming, response, this.#failure, ourHeaders);
  }

  /** Buffers a small body and streams a larger one, up to the size limit. */
  #forwardBody(): void {
    const { incoming } = this.#options;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
    if (encoding === undefined && Number(length) === 0) this.#dispatch(null);
    else if (encoding === undefined && Number(length) <= SMALL_BYTES) this.#forwardBuffered(incoming);
    else this.#forwardStream(incoming, encoding !== undefined);
  }

  #forwardBuffered(incoming: IncomingMessage): void {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      if (!this.#ended) this.#dispatch(Buffer.concat(parts));
    });
  }

  /**
   * Pipes the body through a separate stream. A failing worker destroys the stream that it reads, and the caller's connection must stay
   * open for the response.
   */
  #forwardStream(incoming: IncomingMessage, isCounted: boolean): void {
    let bytes = 0;
    // A declared length was checked earlier, and Node.js does not read beyond it.
    if (isCounted) {
      incoming.on('data', (part: Buffer) => {
        bytes += part.byteLength;
        if (bytes > MAX_ROUTE_BYTES) this.#abort(requestTooLarge());
      });
    }
    const body = new PassThrough();
    // undici reports errors of the body through `onResponseError`. An error event after undici has detached must not end the process.
    body.on('error', () => undefined);
    this.#dispatch(incoming.pipe(body));
  }

  #dispatch(body: Buffer | Readable | null): void {
    const { incoming, pool, path, headers } = this.#options;
    this.#dispatched = true;
    pool.dispatch({ method: incoming.method ?? 'GET', path, headers, body }, this);
  }

  #abort(failure: BalancerRefusal): void {
    this.#failure ??= failure;
    if (!this.#dispatched) this.onResponseError(undefined, failure);
    else this.#controller?.abort(this.#failure);
  }

  readonly #onClose = (): void => {
    if (this.#ended) return;
    if (!this.#dispatched) this.#end();
    else this.#controller?.abort(new Error('the caller disconnected'));
  };

  readonly #onDrain = (): void => {
    if (!this.#ended) this.#controller?.resume();
  };

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelLimit();
    this.#options.onEnd(this.#failure);
  }
}

/** Replacement character for bytes that are not valid UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Converts a reason phrase, which undici decodes as UTF-8, to one character per byte, as Node.js writes it.
 *
 * @throws BalancerRefusal if the original bytes are lost
 */
function bytesOf(reason: string): string {
  if (reason.includes(REPLACEMENT)) throw badAnswer('its reason phrase is not valid UTF-8');
  return Buffer.from(reason).toString('latin1');
}

function textsOf(raw: unknown): string[] {
  return ((raw ?? []) as Buffer[]).map((text) => text.toString('latin1'));
}
