import type { Agent, Dispatcher } from 'undici';
import { BODY_LIMIT_BYTES } from './answer.ts';

/** Part of `fetch` that the calls of operations use. */
export type CallFetch = (url: URL, init: CallInit) => Promise<Response>;

export interface CallInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** Statuses of responses without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Whether only this machine can answer, without a proxy or a certificate. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost');
}

let agent: Promise<Agent> | undefined;

/**
 * Like `fetch` for addresses of this machine, with about half of its processor time. Decodes no body, and receives at most
 * `BODY_LIMIT_BYTES`.
 *
 * @throws TypeError if there is no response
 */
export const loopbackFetch: CallFetch = async ({ origin, pathname, search }, { method, headers, body, signal }) => {
  const dispatcher = await (agent ??= import('./undiciAgent.ts').then(({ Agent }) => new Agent()));
  return new Promise((resolve, reject) => {
    const exchange = {
      ...{ origin, path: pathname + search, method },
      ...{ headers: { ...headers, 'Accept-Encoding': 'identity' }, ...(body !== undefined && { body }) },
    };
    dispatcher.dispatch(exchange, new ReceivedResponse({ signal, resolve, reject }));
  });
};

interface Receiver {
  readonly signal: AbortSignal;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: TypeError) => void;
}

class ReceivedResponse implements Dispatcher.DispatchHandler {
  readonly #receiver: Receiver;
  readonly #headers = new Headers();
  readonly #chunks: Buffer<ArrayBuffer>[] = [];
  #status = 0;
  #length = 0;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this.#receiver;
    const abort = (): void => controller.abort(new Error('canceled'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>): void {
    // Informational responses precede the response.
    if (status < 200) return;
    this.#status = status;
    for (const [name, value] of Object.entries(headers)) {
      for (const one of Array.isArray(value) ? value : [value]) this.#headers.append(name, one);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= BODY_LIMIT_BYTES) return;
    // The announced length tells the reader that the body is too large.
    this.#headers.set('Content-Length', String(this.#length));
    this.#respond(null);
    controller.abort(new Error('too large'));
  }

  onResponseEnd(): void {
    this.#respond(WITHOUT_BODY.has(this.#status) ? null : Buffer.concat(this.#chunks));
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (this.#status === 0) this.#receiver.reject(new TypeError('fetch failed', { cause }));
    else this.#respond(this.#brokenBody(cause));
  }

  /** Returns a body that fails after the chunks that were received, as with `fetch`. */
  #brokenBody(cause: Error): ReadableStream {
    return new ReadableStream({
      pull: (body) => {
        const chunk = this.#chunks.shift();
        if (chunk) body.enqueue(chunk);
        else body.error(cause);
      },
    });
  }

  #respond(body: Buffer<ArrayBuffer> | ReadableStream | null): void {
    this.#receiver.resolve(new Response(body, { status: this.#status, headers: this.#headers }));
  }
}
