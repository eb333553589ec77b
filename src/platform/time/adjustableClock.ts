import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Roster, type Place } from '../roster.ts';
import type { Clock } from './clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  /** Cancels the timer of the underlying clock; undefined until there is one. */
  cancel: (() => void) | undefined;
  place: Place<Timer> | undefined;
}

/**
 * Maximum number of callbacks that one `advance` calls at their own times. After that, the clock jumps to the end. Otherwise,
 * advancing by a year would run a callback that repeats every few seconds millions of times.
 */
const MAX_STEPS = 20_000;

/** A clock that follows an underlying clock and can be frozen and advanced. Only `reset` moves it backward. */
export class AdjustableClock implements Clock {
  readonly #base: Clock;
  readonly #timers = new Roster<Timer>();
  /** Difference from the underlying clock while this clock runs, in ms. */
  #offset = 0;
  #frozenAt: number | undefined;
  #advancing: Promise<void> = Promise.resolve();

  constructor(base: Clock) {
    this.#base = base;
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Difference from the underlying clock, in ms. */
  get aheadMs(): number {
    return this.now() - this.#base.now();
  }

  now(): number {
    return this.#frozenAt ?? this.#base.now() + this.#offset;
  }

  after(ms: number, callback: () => void): () => void {
    const wait = Math.max(0, ms);
    const timer: Timer = { at: this.now() + wait, callback, cancel: undefined, place: undefined };
    timer.place = this.#timers.add(timer);
    if (!this.frozen) this.#arm(timer, wait);
    return () => {
      this.#remove(timer);
      timer.cancel?.();
    };
  }

  freeze(): void {
    if (this.frozen) return;
    this.#frozenAt = this.now();
    for (const timer of this.#timers.members()) timer.cancel?.();
  }

  unfreeze(): void {
    if (this.#frozenAt === undefined) return;
    this.#offset = this.#frozenAt - this.#base.now();
    this.#frozenAt = undefined;
    const now = this.now();
    for (const timer of this.#timers.members()) this.#arm(timer, timer.at - now);
  }

  /**
   * Advances the clock. Due callbacks are called in order, each at its own time, and other work runs in between. Concurrent calls run one
   * after another.
   */
  advance(ms: number): Promise<void> {
    const advancing = this.#advancing.then(() => this.#advance(ms));
    this.#advancing = advancing.catch(() => undefined);
    return advancing;
  }

  /** Sets the clock to the time of the underlying clock and lets it run. Requires that no stored time depends on the adjusted time. */
  reset(): void {
    this.freeze();
    this.#frozenAt = this.#base.now();
    this.unfreeze();
  }

  async #advance(ms: number): Promise<void> {
    const wasFrozen = this.frozen;
    this.freeze();
    const end = this.now() + ms;
    try {
      await this.#callDueBy(end);
    } finally {
      if (!wasFrozen) this.unfreeze();
    }
  }

  async #callDueBy(end: number): Promise<void> {
    for (let step = 0; ; step++) {
      const next = this.#dueBy(end);
      if (!next) break;
      this.#remove(next);
      this.#frozenAt = Math.max(this.now(), step < MAX_STEPS ? next.at : end);
      next.callback();
      await yieldToEventLoop();
      // The clock was unfrozen or reset in the meantime, and that takes precedence.
      if (!this.frozen) return;
    }
    this.#frozenAt = end;
  }

  #dueBy(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers.members()) {
      if (timer.at <= end && (!first || timer.at < first.at)) first = timer;
    }
    return first;
  }

  #remove({ place }: Timer): void {
    if (place) this.#timers.remove(place);
  }

  #arm(timer: Timer, ms: number): void {
    timer.cancel = this.#base.after(ms, () => {
      this.#remove(timer);
      timer.callback();
    });
  }
}
