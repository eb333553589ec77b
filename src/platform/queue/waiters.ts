import type { Clock } from '../time/clock.ts';

/** Calls that are held open until they receive a value, time out, or are aborted, in order of arrival. Each call can carry a question. */
export class Waiters<T, Question = void> {
  readonly #clock: Clock;
  readonly #waiting = new Map<(value: T | undefined) => void, Question>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Question of the call that has waited longest. */
  get question(): Question | undefined {
    const [first] = this.#waiting.values();
    return first;
  }

  /** Resolves with the value from `give`, or with undefined after `ms` ms or when the signal aborts. */
  wait(ms: number, signal: AbortSignal, question: Question): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (value: T | undefined): void => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(done);
        resolve(value);
      };
      const onAbort = (): void => done(undefined);
      const cancel = this.#clock.after(ms, onAbort);
      this.#waiting.set(done, question);
      signal.addEventListener('abort', onAbort, { once: true });
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
