import { callAfter, type Clock } from '../../../../client/clock.ts';

/** Time without a further save after which a burst of saves is over, in ms. */
export const QUIET_MS = 200;
/** The same if a worker restarts within some 100 ms. A further restart then costs less than waiting for the last save. */
export const FORKED_QUIET_MS = 30;
/** Maximum time from the first save of a burst, in ms. Together with the start of a process, it stays below one second. */
const LONGEST_BURST_MS = 600;

/** Collects saved files, and reports them once for a burst of saves, such as *Save All*, or the save of a formatter. */
export class SavedFiles {
  readonly #clock: Clock;
  readonly #report: (files: readonly string[]) => void;
  readonly #quietMs: () => number;
  #files = new Set<string>();
  #begun = 0;
  #cancel: (() => void) | undefined;

  /** @param quietMs returns the time without a further save after which a burst is over, in ms */
  constructor(clock: Clock, report: (files: readonly string[]) => void, quietMs: () => number = () => QUIET_MS) {
    this.#clock = clock;
    this.#report = report;
    this.#quietMs = quietMs;
  }

  /** @param file absolute path */
  add(file: string): void {
    const now = this.#clock.now();
    if (this.#files.size === 0) this.#begun = now;
    this.#files.add(file);
    this.#cancel?.();
    const left = this.#begun + LONGEST_BURST_MS - now;
    this.#cancel = callAfter(this.#clock, Math.max(0, Math.min(this.#quietMs(), left)), () => {
      const files = [...this.#files];
      this.#files = new Set();
      this.#report(files);
    });
  }

  dispose(): void {
    this.#cancel?.();
  }
}
