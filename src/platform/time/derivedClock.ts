import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Roster, type Place } from '../roster.ts';
import type { Clock } from './clock.ts';

interface Timer {
  at: number;
  readonly callback: () => void;
  /** Cancels the timer of the base clock; undefined until there is one. */
  cancel: (() => void) | undefined;
  place: Place<Timer> | undefined;
}

/**
 * Maximum number of callbacks that one `advance` calls at their own times. After that, the clock jumps to the end. Otherwise,
 * advancing by a year would run a callback that repeats every few seconds millions of times.
 */
const MAX_STEPS = 20_000;

/**
 * A clock that follows another one, its base. It can be frozen and advanced, its timers can be paused, and it can end before its base does.
 * Only `reset` moves it backward.
 */
export class DerivedClock implements Clock {
  /** Has the same time, but its timers run with the base, even while this clock is frozen, advanced, or paused. */
  readonly real: Clock;
  readonly #base: Clock;
  readonly #timers = new Roster<Timer>();
  /** Difference from the base while this clock runs, in ms. */
  #offset = 0;
  #frozenAt: number | undefined;
  #pausedAt: number | undefined;
  #ended = false;
  #advancing: Promise<void> = Promise.resolve();

  constructor(base: Clock) {
    this.#base = base;
    this.real = { now: () => this.now(), after: (ms, callback) => base.after(ms, callback) };
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Difference from the base, in ms. */
  get aheadMs(): number {
    return this.now() - this.#base.now();
  }

  now(): number {
    return this.#frozenAt ?? this.#base.now() + this.#offset;
  }

  after(ms: number, callback: () => void): () => void {
    if (this.#ended) return () => undefined;
    const wait = Math.max(0, ms);
    const timer: Timer = { at: this.#timerTime() + wait, callback, cancel: undefined, place: undefined };
    timer.place = this.#timers.add(timer);
    if (this.#runsTimers) this.#arm(timer, wait);
    return () => {
      this.#remove(timer);
      timer.cancel?.();
    };
  }

  freeze(): void {
    if (this.frozen) return;
    this.#frozenAt = this.now();
    this.#disarmAll();
  }

  unfreeze(): void {
    if (this.#frozenAt === undefined) return;
    this.#offset = this.#frozenAt - this.#base.now();
    this.#frozenAt = undefined;
    this.#armAll();
  }

  /** Pauses the timers, which keep the time that is left. `now` continues. */
  pause(): void {
    if (this.#pausedAt !== undefined) return;
    this.#pausedAt = this.now();
    this.#disarmAll();
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    const pausedMs = this.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    for (const timer of this.#timers.members()) timer.at += pausedMs;
    this.#armAll();
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

  /** Sets the clock to the time of the base and lets it run. Requires that no stored time depends on the adjusted time. */
  reset(): void {
    this.freeze();
    this.#frozenAt = this.#base.now();
    this.unfreeze();
  }

  /** Cancels all pending callbacks and ignores later calls to `after`. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#timers.members()) {
      this.#remove(timer);
      timer.cancel?.();
    }
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
    if (this.#pausedAt !== undefined) return undefined;
    let first: Timer | undefined;
    for (const timer of this.#timers.members()) {
      if (timer.at <= end && (!first || timer.at < first.at)) first = timer;
    }
    return first;
  }

  get #runsTimers(): boolean {
    return this.#frozenAt === undefined && this.#pausedAt === undefined;
  }

  /** Time that the timers have reached. */
  #timerTime(): number {
    return this.#pausedAt ?? this.now();
  }

  #remove({ place }: Timer): void {
    if (place) this.#timers.remove(place);
  }

  #armAll(): void {
    if (!this.#runsTimers) return;
    const now = this.now();
    for (const timer of this.#timers.members()) this.#arm(timer, timer.at - now);
  }

  #disarmAll(): void {
    for (const timer of this.#timers.members()) timer.cancel?.();
  }

  #arm(timer: Timer, ms: number): void {
    timer.cancel = this.#base.after(Math.max(0, ms), () => {
      this.#remove(timer);
      timer.callback();
    });
  }
}
