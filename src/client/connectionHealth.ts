import type { ApiError, ErrorKind } from './apiError.ts';

/** Kinds of errors that affect every call of a connection. */
const FAILING: readonly ErrorKind[] = ['network', 'timeout', 'unauthorized'];

/** Whether the calls of a connection succeed. A failure that affects every call stays until the next call succeeds. */
export class ConnectionHealth {
  readonly #listeners = new Set<() => void>();
  #problem: ApiError | undefined;

  /** The latest failure that affects every call. Undefined after a success. */
  get problem(): ApiError | undefined {
    return this.#problem;
  }

  /** Calls the listener after a failure of another kind, and after the next success. Returns a function that removes the listener. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records the outcome of an attempt. Undefined means a success. Errors of a single call are ignored. */
  record(error: ApiError | undefined): void {
    if (error && !FAILING.includes(error.kind)) return;
    const before = this.#problem?.kind;
    this.#problem = error;
    if (error?.kind !== before) for (const listener of [...this.#listeners]) listener();
  }
}
