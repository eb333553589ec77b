/** A period with a maximum number of requests. */
export interface Window {
  readonly name: string;
  readonly seconds: number;
  readonly quota: number;
}

export interface WindowReading extends Window {
  readonly remaining: number;
  /** Seconds until the window resets, at least 1. */
  readonly resetSeconds: number;
}

export interface Reading {
  readonly windows: readonly WindowReading[];
  /** The exhausted window that resets last, if any. The request is then neither granted nor counted. */
  readonly exceeded: WindowReading | undefined;
}

interface Count {
  readonly seconds: number;
  /** Number of whole windows since the epoch. Windows therefore begin with the minute, hour, or day in UTC. */
  index: number;
  used: number;
}

/** Number of subjects at which subjects with expired windows are removed. */
const MAX_SUBJECTS = 10_000;

const indexOf = (seconds: number, now: number): number => Math.floor(now / (seconds * 1000));

/**
 * Counts requests in fixed windows. The caller passes the time, so that a frozen or advanced clock also applies to the windows. Counting
 * is synchronous, so concurrent requests cannot exceed a quota. The counts are in memory only.
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
    // Windows are ordered by length, so the last one resets last.
    return { windows: readings, exceeded: granted ? undefined : readings.findLast(isEmpty) };
  }

  #countsOf(subject: string, windows: readonly Window[], now: number): Count[] {
    let counts = this.#counts.get(subject);
    if (!counts) {
      if (this.#counts.size >= MAX_SUBJECTS) this.#removeExpired(now);
      counts = windows.map(({ seconds }) => ({ seconds, index: indexOf(seconds, now), used: 0 }));
      this.#counts.set(subject, counts);
    }
    for (const count of counts) {
      const index = indexOf(count.seconds, now);
      if (count.index !== index) Object.assign(count, { index, used: 0 });
    }
    return counts;
  }

  #removeExpired(now: number): void {
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
