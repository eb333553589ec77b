import type { Clock } from '../client/clock.ts';

export interface PollerOptions {
  readonly clock: Clock;
  /** Runs one round. Does not throw. */
  readonly poll: (signal: AbortSignal) => Promise<void>;
  /** Returns the delay before the next round, in ms. Called after each round. If undefined, the next round starts when `wake` is called. */
  readonly interval: () => number | undefined;
}

/** Repeats a task, one round at a time, while the poller is on. */
export class Poller {
  readonly #options: PollerOptions;
  #running: AbortController | undefined;
  #resting: AbortController | undefined;
  #woken = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Starts or stops the poller. The first round starts immediately. Stopping aborts the current round. */
  setOn(on: boolean): void {
    if (on === (this.#running !== undefined)) return;
    this.#running?.abort();
    this.#running = undefined;
    if (on) {
      this.#running = new AbortController();
      void this.#loop(this.#running.signal);
    }
  }

  /** Ends the current delay, so that the next round starts immediately. */
  wake(): void {
    this.#woken = true;
    this.#resting?.abort();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    // These are functions because both values can change while a round is awaited.
    const isOver = () => signal.aborted;
    const isWoken = () => this.#woken;
    while (!isOver()) {
      this.#woken = false;
      await this.#options.poll(signal);
      // A stopped loop must not replace the delay of the loop that was started after it.
      if (!isOver() && !isWoken()) await this.#rest(signal);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const resting = new AbortController();
    this.#resting = resting;
    const ended = AbortSignal.any([signal, resting.signal]);
    const interval = this.#options.interval() ?? Number.POSITIVE_INFINITY;
    // Node's timers are limited to 2^31 - 1 ms, so an infinite delay becomes the longest possible one.
    await this.#options.clock.sleep(Math.min(interval, 2 ** 31 - 1), ended).catch(() => undefined);
  }
}
