import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clocks } from './clock.ts';

/**
 * Divides long work over turns of the event loop, so that other requests are answered in between. Promises alone do not suffice, because
 * their continuations run in the same turn.
 */
export class Turns {
  readonly #steps: number;
  #left: number;
  #next: Promise<void> | undefined;

  /** @param steps maximum number of steps of all callers in one turn */
  constructor(steps: number) {
    this.#steps = steps;
    this.#left = steps;
  }

  /** Takes a step. Returns undefined if the current turn has a step left. Otherwise resolves in the turn that takes the step. */
  step(): Promise<void> | undefined {
    if (this.#left === 0) return this.#next?.then(() => this.step());
    this.#left--;
    this.#next ??= yieldToEventLoop().then(() => {
      this.#left = this.#steps;
      this.#next = undefined;
    });
    return undefined;
  }
}

const INTERVAL_MS = 5_000;
/** Pause between two batches, in which the platform serves requests. */
const PAUSE_MS = 20;

/**
 * Repeats work that consists of short batches. Returns a function that stops it.
 *
 * @param batch returns true if more batches may be left
 */
export function repeatBatches({ clock, realClock }: Clocks, batch: () => boolean): () => void {
  const next = (): void => {
    cancel = batch() ? realClock.after(PAUSE_MS, next) : clock.after(INTERVAL_MS, next);
  };
  let cancel = clock.after(INTERVAL_MS, next);
  return () => cancel();
}

/**
 * Collects the items of one turn of the event loop, or until a given promise resolves, and processes them together. A transaction for
 * many rows costs hardly more than a transaction for one row.
 */
export class Batch<T, R = void> {
  readonly #action: (items: readonly T[]) => readonly R[];
  readonly #ready: () => Promise<void> | undefined;
  #items: T[] = [];
  #round: PromiseWithResolvers<readonly R[]> | undefined;

  /**
   * @param action processes at least one item and returns a result for each. If it throws, every `add` of the batch rejects.
   * @param ready returns a promise that delays the batch until it resolves, or undefined for no delay. Default: no delay.
   */
  constructor(action: (items: readonly T[]) => readonly R[], ready: () => Promise<void> | undefined = () => undefined) {
    this.#action = action;
    this.#ready = ready;
  }

  /** Adds an item. Resolves with its result once the batch has been processed. */
  async add(item: T): Promise<R> {
    const index = this.#items.push(item) - 1;
    if (!this.#round) {
      const round = (this.#round = Promise.withResolvers());
      setImmediate(() => void this.#flushWhenReady(round));
    }
    const results = await this.#round.promise;
    return results[index] as R;
  }

  async #flushWhenReady(round: PromiseWithResolvers<readonly R[]>): Promise<void> {
    await this.#ready();
    // A caller may have flushed the batch in the meantime.
    if (this.#round === round) this.flush();
  }

  /** Processes the collected items now. */
  flush(): void {
    const [items, round] = [this.#items, this.#round];
    if (!round) return;
    this.#items = [];
    this.#round = undefined;
    try {
      round.resolve(this.#action(items));
    } catch (error) {
      round.reject(error);
    }
  }
}

/** Runs work on the same key one after the other. */
export class KeyLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const done = (before ?? Promise.resolve()).then(work, work);
    const settled = done.catch(() => undefined);
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return done;
  }
}
