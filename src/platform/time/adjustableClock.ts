import { setImmediate as othersFirst } from 'node:timers/promises';
import { Roster, type Place } from '../roster.ts';
import type { Clock } from './clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  /** Calls off the wait of the underlying clock; undefined while this clock stands still. */
  cancel: (() => void) | undefined;
  place: Place<Timer> | undefined;
}

/**
 * How many callbacks are called on the way, each at its own time, before the clock goes straight to where it is advanced to: some
 * come back every few seconds, and a year of them is of no use to anybody.
 */
const MOST_STEPS = 20_000;

/** A clock that runs as the one it is made of, and can be stopped, and advanced. It never goes back but for `reset`. */
export class AdjustableClock implements Clock {
  readonly #base: Clock;
  readonly #timers = new Roster<Timer>();
  /** How far it is ahead. */
  #offset = 0;
  #frozenAt: number | undefined;
  #advancing: Promise<void> = Promise.resolve();

  constructor(base: Clock) {
    this.#base = base;
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** How far it is from the clock it is made of, in ms. */
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
   * Goes forward. What is due on the way is called in its order, each at its own time, and others get their turn in between. Those
   * who advance it at the same time do so one after the other.
   */
  advance(ms: number): Promise<void> {
    const advancing = this.#advancing.then(() => this.#advance(ms));
    this.#advancing = advancing.catch(() => undefined);
    return advancing;
  }

  /** Back to the time of the clock it is made of, and running. For when nothing is left that was dated by the other time. */
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
      this.#frozenAt = Math.max(this.now(), step < MOST_STEPS ? next.at : end);
      next.callback();
      await othersFirst();
      // Somebody let it run meanwhile, or put it back: that is the last word.
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
