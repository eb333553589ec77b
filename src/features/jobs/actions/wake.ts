import type { Clock } from '../../../client/clock.ts';

/** Wakes loops that wait for a change. */
export class Wake {
  #next = Promise.withResolvers<void>();

  /** Resolves at the next call of `fire`. */
  get next(): Promise<void> {
    return this.#next.promise;
  }

  fire(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

/** Resolves after that many milliseconds or when the wake fires. Rejects with the reason of the signal. */
export async function sleepOrWake(clock: Clock, ms: number, { next }: Wake, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const sleeping = Number.isFinite(ms)
    ? clock.sleep(ms, AbortSignal.any([signal, over.signal])).catch(() => undefined)
    : aborted(AbortSignal.any([signal, over.signal]));
  try {
    await Promise.race([sleeping, next]);
  } finally {
    over.abort();
  }
  signal.throwIfAborted();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Spreads calls evenly over time. */
export class Pace {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #nextAt = 0;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#intervalMs = 1_000 / perSecond;
  }

  /** Resolves when the next call may start. */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    // A pause of some milliseconds is made up for, because timers are late.
    this.#nextAt = Math.max(this.#nextAt, now - SLACK_MS) + this.#intervalMs;
    if (this.#nextAt > now) await this.#clock.sleep(this.#nextAt - now, signal);
  }
}

const SLACK_MS = 20;
