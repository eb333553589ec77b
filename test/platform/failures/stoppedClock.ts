import type { Clock } from '../../../src/platform/time/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  /** Captures the stack of the call that set the timer. */
  readonly origin: Error;
}

/** A clock that moves only when it is advanced, and that reports pending timers. */
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

  /** Advances to the next timer that is due by `end` and calls it, or to `end` if there is none. @returns whether the clock is at `end` */
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

  /** Returns the names of the files that set the pending timers, in alphabetical order. */
  pendingOrigins(): string[] {
    return [...this.#timers].map(({ origin }) => originOf(origin)).sort();
  }
}

/** Returns the innermost file that does not implement a clock. */
function originOf({ stack = '' }: Error): string {
  const files = stack.split('\n').flatMap((line) => /([\w.]+\.ts):\d+:\d+\)?$/.exec(line)?.[1] ?? []);
  return files.find((file) => !CLOCKS.includes(file)) ?? 'unknown';
}

const CLOCKS = ['stoppedClock.ts', 'fullDisk.ts', 'clock.ts', 'derivedClock.ts', 'waiters.ts'];
