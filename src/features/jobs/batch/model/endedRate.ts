import type { Clock } from '../../../../client/clock.ts';

const WINDOW_SECONDS = 30;

/** Counts rows that ended in the last seconds. */
export class EndedRate {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** Number of rows by second. */
  readonly #seconds = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  add(): void {
    const second = Math.floor(this.#clock.now() / 1_000);
    this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + 1);
    for (const old of this.#seconds.keys()) if (old < second - WINDOW_SECONDS) this.#seconds.delete(old);
  }

  get perSecond(): number {
    const now = this.#clock.now();
    const from = Math.floor(now / 1_000) - WINDOW_SECONDS;
    let rows = 0;
    for (const [second, number] of this.#seconds) if (second > from) rows += number;
    return rows / Math.max(1, Math.min(WINDOW_SECONDS, (now - this.#startedAt) / 1_000));
  }
}
