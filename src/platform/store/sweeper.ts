import type { Clock } from '../time/clock.ts';
import { isStorageFull } from '../storageFull.ts';
import { STORAGE_RETRY_MS } from './fullDisk.ts';

/**
 * Performs long work in short steps. Each step is in its own turn of the event loop, so that other requests are answered in between. While
 * the disk is full, steps are retried.
 */
export class Sweeper {
  readonly #clock: Clock;
  readonly #step: () => boolean;
  #pending: (() => void) | undefined;
  #closed = false;

  /** @param step performs a part of the work in short transactions. Returns true if there may be more. */
  constructor(clock: Clock, step: () => boolean) {
    this.#clock = clock;
    this.#step = step;
  }

  /** Performs steps until none is left. The first one is in a later turn of the event loop. */
  wake(): void {
    if (!this.#closed) this.#pending ??= this.#nextTurn();
  }

  /** Ends the work after one last step, which completes small work. The rest stays for the next start. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#pending) return;
    this.#pending();
    this.#run();
  }

  #nextTurn(): () => void {
    const immediate = setImmediate(() => this.#run());
    return () => clearImmediate(immediate);
  }

  #run(): void {
    this.#pending = undefined;
    try {
      if (this.#step() && !this.#closed) this.#pending = this.#nextTurn();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      if (!this.#closed) this.#pending = this.#clock.after(STORAGE_RETRY_MS, () => this.#run());
    }
  }
}
