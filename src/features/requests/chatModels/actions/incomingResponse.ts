import type { ResponseEnd, ResponseHead } from '../../actions/sendRequest.ts';

/** A response whose chunks one side adds and the other side reads. */
export class IncomingResponse {
  head: ResponseHead | undefined;
  end: ResponseEnd | undefined;
  readonly #waiting: Uint8Array[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  push(chunk: Uint8Array): void {
    this.#waiting.push(chunk);
    this.#wake();
  }

  finish(end: ResponseEnd): void {
    this.end = end;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /** Yields the chunks until the end of the response. @throws the error with which it failed */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      if (this.end) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
