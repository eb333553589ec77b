import { setImmediate } from 'node:timers/promises';

/** Time after which other work gets a turn, in ms. */
const SLICE_MS = 8;

/** Divides long work, so that the editor's other requests do not wait for its end. */
export class TimeSlice {
  #end = performance.now() + SLICE_MS;

  /** Lets other work run if this work has run for 8 ms. Throws the reason of the signal once it is aborted. */
  async pause(signal?: AbortSignal): Promise<void> {
    if (performance.now() >= this.#end) {
      await setImmediate();
      this.#end = performance.now() + SLICE_MS;
    }
    signal?.throwIfAborted();
  }
}
