/** Time in ms for which one task may run before other tasks get a turn. */
const SLICE_MS = 8;

/** Divides a long task into short turns, so that other work of the process is not delayed. */
export class TurnTaker {
  #since = performance.now();

  /** Returns a promise for the next turn if the current one has lasted long enough, otherwise undefined. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#since < SLICE_MS ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
