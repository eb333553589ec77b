import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A listener that is loaded by `load` or by its first request, so that its code does not slow down the start. */
export class LazyListener {
  readonly #load: () => Promise<RequestListener>;
  readonly #onFailure: (error: unknown) => void;
  #listener: Promise<RequestListener> | undefined;

  /** @param onFailure called with the error if the load fails. The connection of each request is then closed. */
  constructor(load: () => Promise<RequestListener>, onFailure: (error: unknown) => void) {
    this.#load = load;
    this.#onFailure = onFailure;
  }

  handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.load().then(
      (listener) => listener(incoming, outgoing),
      (error: unknown) => {
        this.#onFailure(error);
        outgoing.destroy();
      },
    );
  }

  load(): Promise<RequestListener> {
    return (this.#listener ??= this.#load());
  }
}
