import type { Clock } from '../time/clock.ts';
import { isStorageFull } from '../storageFull.ts';
import { STORAGE_RETRY_MS } from './fullDisk.ts';
import type { Store } from './store.ts';

/** Number of steps after which the write-ahead log is emptied. A step that removes small rows writes about 100 kB. */
const STEPS_PER_LOG = 20;

/**
 * Performs long work in short steps. Each step is in its own turn of the event loop, so that other requests are answered in between. While
 * the disk is full, steps are retried.
 */
export class Sweeper {
  readonly #clock: Clock;
  readonly #step: () => boolean;
  readonly #store: Pick<Store, 'emptyLog'> | undefined;
  #steps = 0;
  #pending: (() => void) | undefined;
  #closed = false;

  /**
   * @param step performs a part of the work in short transactions. Returns true if there may be more.
   * @param store store that the steps write to; default: they hardly write
   */
  constructor(clock: Clock, step: () => boolean, store?: Pick<Store, 'emptyLog'>) {
    this.#clock = clock;
    this.#step = step;
    this.#store = store;
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

  #next(): () => void {
    this.#steps++;
    return this.#store && this.#steps % STEPS_PER_LOG === 0 ? this.#afterEmptying(this.#store) : this.#nextTurn();
  }

  #afterEmptying(store: Pick<Store, 'emptyLog'>): () => void {
    let canceled = false;
    const next = (): void => {
      if (!canceled) this.#pending = this.#nextTurn();
    };
    // Whatever failed, the next step fails too, or a failed fsync ends the platform.
    store.emptyLog().then(next, next);
    return () => (canceled = true);
  }

  #nextTurn(): () => void {
    const immediate = setImmediate(() => this.#run());
    return () => clearImmediate(immediate);
  }

  #run(): void {
    this.#pending = undefined;
    try {
      if (this.#step() && !this.#closed) this.#pending = this.#next();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      if (!this.#closed) this.#pending = this.#clock.after(STORAGE_RETRY_MS, () => this.#run());
    }
  }
}
