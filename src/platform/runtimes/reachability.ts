import { type Clock, pause } from '../time/clock.ts';

/** Shortest time between two probes, in ms. */
const INTERVAL_MS = 2_000;

/** Waits until an engine answers. All waits share the probes. */
export class Reachability {
  readonly #probe: (signal: AbortSignal) => Promise<unknown>;
  readonly #clock: Clock;
  readonly #waits = new Set<() => void>();
  #probing: AbortController | undefined;
  #probedAt = -Infinity;

  /** @param probe rejects if the engine does not answer in time */
  constructor(probe: (signal: AbortSignal) => Promise<unknown>, clock: Clock) {
    this.#probe = probe;
    this.#clock = clock;
  }

  /** Resolves once the engine answers, or the signal is aborted. */
  async until(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waits.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (!this.#probing) {
      this.#probing = new AbortController();
      void this.#run(this.#probing.signal);
    }
    await promise;
    this.#waits.delete(resolve);
    if (this.#waits.size === 0) this.#stop();
  }

  #stop(): void {
    this.#probing?.abort();
    this.#probing = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#clock, this.#probedAt + INTERVAL_MS - this.#clock.now(), signal);
      if (signal.aborted) return;
      this.#probedAt = this.#clock.now();
      try {
        await this.#probe(signal);
        break;
      } catch {
        // The next probe follows, unless nothing waits any more.
      }
    }
    // A later run probes for the waits that began after this one was stopped.
    if (this.#probing?.signal !== signal) return;
    this.#stop();
    for (const resolve of this.#waits) resolve();
  }
}
