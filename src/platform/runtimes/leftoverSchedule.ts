import type { Clock } from '../time/clock.ts';

/** Interval of the searches for leftovers, in ms. */
const INTERVAL_MS = 300_000;
/** Time from a failed start to the next search, in ms. A request that was given up can still take effect in the meantime. */
const AFTER_FAILURE_MS = 30_000;

/** Returns the IDs of the runs that start, run, or wait for the next platform. */
export type OpenRuns = () => Iterable<string>;

/** Searches an engine or a cluster for objects of this platform that belong to no open run, now, at intervals, and after failures. */
export class LeftoverSchedule {
  readonly #clock: Clock;
  readonly #sweep: (openRuns: OpenRuns) => Promise<unknown>;
  readonly #onFailure: ((error: unknown) => void) | undefined;
  #openRuns: OpenRuns | undefined;
  #next: { readonly at: number; readonly cancel: () => void } | undefined;
  #closed = false;
  #failing = false;

  /**
   * @param sweep removes the objects of all other runs. It asks for the open runs after it has listed the objects, because a run is open
   *   before its objects are created
   * @param options.onFailure called with the first failure in a row
   */
  constructor(
    sweep: (openRuns: OpenRuns) => Promise<unknown>,
    { clock, onFailure }: { clock: Clock; onFailure?: (error: unknown) => void },
  ) {
    this.#sweep = sweep;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Searches now, and at intervals from now on. Does nothing if it was called before. */
  start(openRuns: OpenRuns): void {
    if (this.#openRuns || this.#closed) return;
    this.#openRuns = openRuns;
    void this.#run(openRuns);
  }

  /** Searches soon, because an object may have been left. */
  soon(): void {
    if (this.#openRuns) this.#schedule(this.#openRuns, AFTER_FAILURE_MS);
  }

  close(): void {
    this.#closed = true;
    this.#next?.cancel();
  }

  /** Keeps an earlier search. */
  #schedule(openRuns: OpenRuns, ms: number): void {
    const at = this.#clock.now() + ms;
    if (this.#closed || (this.#next && this.#next.at <= at)) return;
    this.#next?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#next = undefined;
      void this.#run(openRuns);
    });
    this.#next = { at, cancel };
  }

  async #run(openRuns: OpenRuns): Promise<void> {
    try {
      await this.#sweep(openRuns);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !this.#closed) this.#onFailure?.(error);
      this.#failing = true;
    }
    this.#schedule(openRuns, INTERVAL_MS);
  }
}
