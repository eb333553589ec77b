import type { Clock } from '../../../src/platform/time/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  /** Where the timer was set. */
  readonly origin: Error;
}

/** A clock that stands still until it is moved, and says which timers are set. */
export class StoppedClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback, origin: new Error() };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Goes to the next moment at which a timer is due, at most so far, and calls what is due then. @returns whether it is at the end */
  advanceTo(end: number): boolean {
    const next = [...this.#timers].reduce<Timer | undefined>(
      (first, timer) => (timer.at <= end && timer.at < (first?.at ?? Infinity) ? timer : first),
      undefined,
    );
    if (!next) {
      this.#now = end;
      return true;
    }
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
    return false;
  }

  /** The files that have set the pending timers, in alphabetical order. */
  armed(): string[] {
    return [...this.#timers].map(({ origin }) => originOf(origin)).sort();
  }
}

/** The innermost file that is no part of a clock. */
function originOf({ stack = '' }: Error): string {
  const files = stack.split('\n').flatMap((line) => /([\w.]+\.ts):\d+:\d+\)?$/.exec(line)?.[1] ?? []);
  return files.find((file) => !CLOCKS.includes(file)) ?? 'unknown';
}

const CLOCKS = ['stoppedClock.ts', 'fullDisk.ts', 'clock.ts', 'endingClock.ts', 'throttle.ts', 'waiters.ts'];
