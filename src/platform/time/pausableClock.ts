import type { Clock } from './clock.ts';

interface Timer {
  /** Time that is left, in ms, when the timer is armed or paused. */
  left: number;
  armedAt: number;
  readonly callback: () => void;
  /** Undefined while the clock is paused. */
  cancel: (() => void) | undefined;
}

/** A clock whose timers can be paused. A paused timer keeps the time that is left, and continues with it. `now` never pauses. */
export class PausableClock implements Clock {
  readonly #base: Clock;
  readonly #timers = new Set<Timer>();
  #paused = false;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now();
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { left: ms, armedAt: this.now(), callback, cancel: undefined };
    this.#timers.add(timer);
    if (!this.#paused) this.#arm(timer);
    return () => {
      this.#timers.delete(timer);
      timer.cancel?.();
    };
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    for (const timer of this.#timers) {
      timer.cancel?.();
      timer.cancel = undefined;
      timer.left = Math.max(0, timer.left - (this.now() - timer.armedAt));
    }
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const timer of [...this.#timers]) this.#arm(timer);
  }

  #arm(timer: Timer): void {
    timer.armedAt = this.now();
    timer.cancel = this.#base.after(timer.left, () => {
      this.#timers.delete(timer);
      timer.callback();
    });
  }
}
