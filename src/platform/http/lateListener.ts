import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A listener that is loaded when the first request for it comes, or when there is time: until then nobody waits for its code. */
export class LateListener {
  readonly #load: () => Promise<RequestListener>;
  readonly #onFailure: (error: unknown) => void;
  #listener: Promise<RequestListener> | undefined;

  /** @param onFailure told when it cannot be loaded: each request for it has its connection cut */
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
