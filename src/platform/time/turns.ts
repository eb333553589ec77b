import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

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
