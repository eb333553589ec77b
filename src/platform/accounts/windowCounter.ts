/** A stretch of time in which so many requests are granted. */
export interface Window {
  readonly name: string;
  readonly seconds: number;
  readonly quota: number;
}

export interface WindowReading extends Window {
  readonly remaining: number;
  /** Until it resets: at least 1. */
  readonly resetSeconds: number;
}

export interface Reading {
  readonly windows: readonly WindowReading[];
  /** The window that has nothing left, of several the one that resets last: the request is not granted, nor counted. */
  readonly exceeded: WindowReading | undefined;
}

interface Count {
  readonly seconds: number;
  /** Windows since the epoch: those of a minute begin with the minute, and so on, in UTC, as in the documented sample. */
  index: number;
  used: number;
}

/** From then on those whose windows are all over are forgotten. */
const MAX_SUBJECTS = 10_000;

const indexOf = (seconds: number, now: number): number => Math.floor(now / (seconds * 1000));

/**
 * Counts requests in fixed windows by the time it is told, so that a clock that is frozen or moved takes the windows along. Counting is
 * one step that nothing interrupts: no two requests are granted the same last place. What is counted ends with the platform.
 */
export class WindowCounter {
  readonly #counts = new Map<string, Count[]>();

  get size(): number {
    return this.#counts.size;
  }

  take(subject: string, windows: readonly Window[], now: number): Reading {
    const counts = this.#countsOf(subject, windows, now);
    const isEmpty = ({ quota }: Window, index: number): boolean => (counts[index]?.used ?? 0) >= quota;
    const granted = !windows.some(isEmpty);
    if (granted) for (const count of counts) count.used++;
    const readings = windows.map((window, index) => reading(window, counts[index]?.used ?? 0, now));
    // Longer windows come later, and reset later.
    return { windows: readings, exceeded: granted ? undefined : readings.findLast(isEmpty) };
  }

  #countsOf(subject: string, windows: readonly Window[], now: number): Count[] {
    let counts = this.#counts.get(subject);
    if (!counts) {
      if (this.#counts.size >= MAX_SUBJECTS) this.#forgetPast(now);
      counts = windows.map(({ seconds }) => ({ seconds, index: indexOf(seconds, now), used: 0 }));
      this.#counts.set(subject, counts);
    }
    for (const count of counts) {
      const index = indexOf(count.seconds, now);
      if (count.index !== index) Object.assign(count, { index, used: 0 });
    }
    return counts;
  }

  #forgetPast(now: number): void {
    for (const [subject, counts] of this.#counts) {
      if (counts.every(({ seconds, index }) => index !== indexOf(seconds, now))) this.#counts.delete(subject);
    }
  }
}

function reading(window: Window, used: number, now: number): WindowReading {
  const length = window.seconds * 1000;
  const resetSeconds = Math.ceil((length - (now % length)) / 1000);
  return { ...window, remaining: Math.max(0, window.quota - used), resetSeconds };
}
