import type { Clock } from '../../../src/platform/time/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now: number;
  #passed = 0;
  readonly #timers = new Set<Timer>();

  constructor(now: number) {
    this.#now = now;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  /** Sets what it says of the time; what waits is not touched. */
  set(now: number): void {
    this.#now = now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#passed + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass, and calls back whoever has waited for it. */
  advance(ms: number): void {
    this.#passed += ms;
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#passed || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}
