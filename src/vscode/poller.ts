import type { Clock } from '../client/clock.ts';

export interface PollerOptions {
  readonly clock: Clock;
  /** One round; it does not throw. */
  readonly poll: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds until the next round, asked after each; undefined: rest until woken. */
  readonly interval: () => number | undefined;
}

/** Repeats a task while it is on, one round at a time, and at once when woken. */
export class Poller {
  readonly #options: PollerOptions;
  #running: AbortController | undefined;
  #resting: AbortController | undefined;
  #woken = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Starts or stops. Starting polls at once; stopping aborts a round under way. */
  setOn(on: boolean): void {
    if (on === (this.#running !== undefined)) return;
    this.#running?.abort();
    this.#running = undefined;
    if (on) {
      this.#running = new AbortController();
      void this.#loop(this.#running.signal);
    }
  }

  /** Polls now instead of when the interval is over. */
  wake(): void {
    this.#woken = true;
    this.#resting?.abort();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    // Functions, because both change while a round is awaited.
    const isOver = () => signal.aborted;
    const isWoken = () => this.#woken;
    while (!isOver()) {
      this.#woken = false;
      await this.#options.poll(signal);
      // A loop that was stopped meanwhile must not touch the rest of the one that followed it.
      if (!isOver() && !isWoken()) await this.#rest(signal);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const resting = new AbortController();
    this.#resting = resting;
    const ended = AbortSignal.any([signal, resting.signal]);
    const interval = this.#options.interval() ?? Number.POSITIVE_INFINITY;
    // Node's timers hold at most 31 bits of milliseconds; a rest without end is a very long one.
    await this.#options.clock.sleep(Math.min(interval, 2 ** 31 - 1), ended).catch(() => undefined);
  }
}
