import { setImmediate as othersFirst } from 'node:timers/promises';

/**
 * Divides long work over turns of the event loop, so that other requests are answered in between. Promises alone do not: what they
 * continue runs in the same turn.
 */
export class Turns {
  readonly #steps: number;
  #left: number;
  #next: Promise<void> | undefined;

  /** @param steps how many steps all callers together take in one turn */
  constructor(steps: number) {
    this.#steps = steps;
    this.#left = steps;
  }

  /** Takes a step. Returns undefined if this turn has one left; otherwise resolves in the turn that has. */
  step(): Promise<void> | undefined {
    if (this.#left === 0) return this.#next?.then(() => this.step());
    this.#left--;
    this.#next ??= othersFirst().then(() => {
      this.#left = this.#steps;
      this.#next = undefined;
    });
    return undefined;
  }
}
