import type { LogRecord } from './logRecords.ts';

const SECOND_MS = 1_000;

/**
 * Remembers which records of a log were delivered, so that a repeated request continues after them. A request can start only at a whole
 * second, and its response repeats the records of that second. Records of one timestamp are counted, because several can share it.
 */
export class DeliveredRecords {
  /** Start of the next request, in ms since the epoch; undefined for the start of the log. */
  #since: number | undefined;
  /** Number of delivered records since `#since`, by timestamp. */
  #counts = new Map<string, number>();
  /** Records that the current response still repeats. */
  #repeated = new Map<string, number>();

  /** Returns the `sinceTime` of a new request, and expects its response to repeat the last records. */
  restart(): string | undefined {
    this.#repeated = new Map(this.#counts);
    return this.#since === undefined ? undefined : new Date(this.#since).toISOString();
  }

  /** Returns whether the current response repeats a delivered record. Call it once for each record of a response. */
  isRepeated({ timestamp }: LogRecord): boolean {
    const repeats = this.#repeated.get(timestamp) ?? 0;
    if (repeats > 0) this.#repeated.set(timestamp, repeats - 1);
    return repeats > 0;
  }

  /** Counts a record as delivered. */
  add({ timestamp }: LogRecord): void {
    this.#advance(Date.parse(timestamp));
    this.#counts.set(timestamp, (this.#counts.get(timestamp) ?? 0) + 1);
  }

  /** Lets the next request start in the second before this record, because both streams of a worker share a log, not exactly in order. */
  #advance(at: number): void {
    const since = Math.floor(at / SECOND_MS) * SECOND_MS - SECOND_MS;
    if (Number.isNaN(since) || since <= (this.#since ?? -Infinity)) return;
    this.#since = since;
    for (const timestamp of this.#counts.keys()) if (Date.parse(timestamp) < since) this.#counts.delete(timestamp);
  }
}
