import { type Clock, pause } from '../time/clock.ts';

const FIRST_MS = 250;
const MAX_MS = 10_000;

/** Pauses between tries, each twice as long as the one before. A random part keeps many clients from trying at the same time. */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #next = FIRST_MS;

  /** @param random returns a number from 0 to 1, like `Math.random` */
  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  reset(): void {
    this.#next = FIRST_MS;
  }

  /** Resolves after the pause, or once the signal is aborted. */
  async pause(signal: AbortSignal): Promise<void> {
    const ms = this.#next * (1 - this.#random() / 2);
    this.#next = Math.min(this.#next * 2, MAX_MS);
    await pause(this.#clock, ms, signal);
  }
}

/**
 * Repeats an action until it succeeds. Rejects with its error once the signal is aborted.
 *
 * @param onFailure called with the first failure
 */
export async function repeat<T>(
  action: () => Promise<T>,
  { clock, signal, onFailure }: { clock: Clock; signal: AbortSignal; onFailure?: (error: unknown) => void },
): Promise<T> {
  const backoff = new Backoff(clock);
  for (let failures = 0; ; failures++) {
    try {
      return await action();
    } catch (error) {
      if (signal.aborted) throw error;
      if (failures === 0) onFailure?.(error);
      await backoff.pause(signal);
    }
  }
}
