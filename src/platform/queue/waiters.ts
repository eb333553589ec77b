import type { Clock } from '../time/clock.ts';

/** Calls that are held open until they receive a value, time out, or are aborted, in order of arrival. Each call can carry a request. */
export class Waiters<T, Request = void> {
  readonly #clock: Clock;
  readonly #waiting = new Map<(value: T | undefined) => void, Request>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Request of the call that has waited longest. */
  get firstRequest(): Request | undefined {
    const [first] = this.#waiting.values();
    return first;
  }

  /** Resolves with the value from `give`, or with undefined after `ms` ms or when the signal aborts. */
  wait(ms: number, signal: AbortSignal, request: Request): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (value: T | undefined): void => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(done);
        resolve(value);
      };
      const onAbort = (): void => done(undefined);
      const cancel = this.#clock.after(ms, onAbort);
      this.#waiting.set(done, request);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }

  /** Gives a value to the call that has waited longest. */
  give(value: T): void {
    const [first] = this.#waiting.keys();
    first?.(value);
  }

  /** Ends all waits with undefined. */
  release(): void {
    for (const done of [...this.#waiting.keys()]) done(undefined);
  }
}
