import type { Affinity } from '../domain/balancing.ts';
import type { Clock } from '../time/clock.ts';

/** A request that waits for a worker. */
export interface Waiting<Found> {
  readonly affinity: Affinity | undefined;
  /** Time of arrival, in ms since the epoch. */
  readonly since: number;
  readonly give: (found: Found) => void;
  readonly refuse: (error: Error) => void;
}

/** Requests that wait for a worker, in order of arrival. */
export class WaitingRoom<Found> {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting<Found>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Returns a copy in order of arrival, so that entries can be removed during iteration. */
  all(): Waiting<Found>[] {
    return [...this.#waiting];
  }

  /** Waits for a worker. @throws the error of `late` after `ms` ms, the error passed to `refuse`, or an error when the signal aborts */
  wait(
    affinity: Affinity | undefined,
    { ms, timeoutError, signal }: { ms: number; timeoutError: () => Error; signal: AbortSignal },
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(waiting);
      };
      const give = (found: Found): void => {
        over();
        resolve(found);
      };
      const refuse = (error: Error): void => {
        over();
        reject(error);
      };
      const onAbort = (): void => refuse(new Error('the caller disconnected'));
      const cancel = this.#clock.after(ms, () => refuse(timeoutError()));
      const waiting: Waiting<Found> = { affinity, since: this.#clock.now(), give, refuse };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }
}
