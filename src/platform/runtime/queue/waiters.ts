import type { Clock } from '../../clock.ts';

/** Calls that are held open until there is something for them, their time is up, or their caller hangs up. In order of arrival. */
export class Waiters<T> {
  readonly #clock: Clock;
  readonly #waiting = new Set<(value: T | undefined) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with what is given to it, or undefined after that many ms or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (value: T | undefined): void => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(done);
        resolve(value);
      };
      const onAbort = (): void => done(undefined);
      const cancel = this.#clock.after(ms, onAbort);
      this.#waiting.add(done);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  /** Gives a value to the call that has waited longest. */
  give(value: T): void {
    const [first] = this.#waiting;
    first?.(value);
  }

  /** Ends every wait with nothing. */
  release(): void {
    for (const done of [...this.#waiting]) done(undefined);
  }
}
