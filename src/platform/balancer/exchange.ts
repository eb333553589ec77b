import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { MAX_ROUTE_BYTES } from '../../contract/route.ts';
import type { Clock } from '../clock.ts';
import { answerHeaders } from './headers.ts';
import { answerRefusal } from './answer.ts';
import { answerTooLarge, badGateway, requestTooLarge, timeLimit, type BalancerRefusal } from './refusals.ts';

export interface ExchangeOptions {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** For the worker, as a flat list. */
  readonly headers: string[];
  readonly path: string;
  /** Connections to the worker. */
  readonly pool: Pool;
  readonly workerId: string;
  readonly port: number;
  readonly limitMs: number;
  readonly clock: Clock;
  /** Called once, when the worker is done with it, whatever came of it. */
  readonly onEnd: (failure: BalancerRefusal | undefined) => void;
}

/**
 * One request on its way to a worker and its answer on the way back, both as they arrive. When one side hangs up, the other is told.
 * Nothing is tried twice: what the worker has done already is not known.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #cancelLimit: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: BalancerRefusal | undefined;
  #answerBytes = 0;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { incoming, response, pool, path, headers, limitMs, clock } = options;
    this.#cancelLimit = clock.after(limitMs, () => this.#abort(timeLimit(limitMs)));
    response.on('close', this.#onClose);
    response.on('drain', this.#onDrain);
    pool.dispatch({ method: incoming.method ?? 'GET', path, headers, body: this.#requestBody() }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
    else if (this.#options.response.closed) controller.abort(new Error('the caller has hung up'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, message = ''): void {
    // Informational answers are between the worker and us.
    if (status < 200) return;
    const { response, workerId } = this.#options;
    const raw = ((controller.rawHeaders ?? []) as Buffer[]).map((text) => text.toString('latin1'));
    const length = raw.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
    if (length >= 0 && Number(raw[length + 1]) > MAX_ROUTE_BYTES && this.#options.incoming.method !== 'HEAD') {
      this.#abort(answerTooLarge());
      return;
    }
    response.writeHead(status, message, answerHeaders(raw, workerId));
    // What follows at once goes out together with the headers; what does not, must not hold them back.
    process.nextTick(() => {
      if (!this.#ended && this.#answerBytes === 0) response.flushHeaders();
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#answerBytes += chunk.byteLength;
    if (this.#answerBytes > MAX_ROUTE_BYTES) this.#abort(answerTooLarge());
    else if (!this.#options.response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#end();
    this.#options.response.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const { response, incoming, port } = this.#options;
    if (!response.closed) this.#failure ??= badGateway(error, port);
    this.#end();
    if (!this.#failure) return;
    // An answer that has begun cannot be taken back: that it broke off is all that can be told.
    if (response.headersSent) response.destroy();
    else answerRefusal(incoming, response, this.#failure);
  }

  /** The body, bounded; the caller's own stream stays ours, so that it can be answered when the worker fails. */
  #requestBody(): Readable | null {
    const { incoming } = this.#options;
    const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
    if (encoding === undefined && (length === undefined || Number(length) === 0)) return null;
    const body = new PassThrough();
    if (encoding !== undefined) {
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > MAX_ROUTE_BYTES) this.#abort(requestTooLarge());
      });
    }
    return incoming.pipe(body);
  }

  #abort(failure: BalancerRefusal): void {
    this.#failure ??= failure;
    this.#controller?.abort(this.#failure);
  }

  readonly #onClose = (): void => {
    if (!this.#ended) this.#controller?.abort(new Error('the caller has hung up'));
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
