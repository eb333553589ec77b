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
