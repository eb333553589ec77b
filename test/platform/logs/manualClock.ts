import type { Clock } from '../../../src/platform/time/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock whose time changes only through its methods. */
export class ManualClock implements Clock {
  #now: number;
  #passed = 0;
  readonly #timers = new Set<Timer>();

  constructor(now: number) {
    this.#now = now;
  }

  /** Number of pending timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  /** Sets the time of day. Pending timers are not affected. */
  set(now: number): void {
    this.#now = now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#passed + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances the time, and calls the timers that are due. */
  advance(ms: number): void {
    this.#passed += ms;
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#passed || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}
