/** Time for which one task may run before other tasks get a turn, in ms. */
const SLICE_MS = 8;

/** Divides a long task into short turns, so that other work of the process is not delayed. */
export class TimeSlice {
  #since = performance.now();

  /** Returns a promise for the next turn if the current one has lasted long enough, otherwise undefined. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#since < SLICE_MS ? undefined : this.#turn();
  }

  /** Waits for the next turn if the current one has lasted long enough. @throws the reason of the signal once it is aborted */
  async pause(signal?: AbortSignal): Promise<void> {
    await this.next();
    signal?.throwIfAborted();
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
