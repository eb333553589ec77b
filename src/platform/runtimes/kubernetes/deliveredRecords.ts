import * as z from 'zod';
import type { LogRecord } from './logRecords.ts';

const SECOND_MS = 1_000;

/** A position in a log. It has a constant size, however many lines a worker prints. */
const StoredPosition = z.object({
  /** Start of the next request, in ms since the epoch. */
  since: z.number(),
  /** Number of delivered records since then. */
  count: z.number(),
  /** Latest timestamp of them. If the node has replaced the file of the log in the meantime, later records are new. */
  latest: z.string(),
});
type StoredPosition = z.infer<typeof StoredPosition>;

/**
 * Remembers which records of a log were delivered, so that a repeated request continues after them. A request can start only at a whole
 * second, and its response repeats the records of that second. Records of one timestamp are counted, because several can share it.
 */
export class DeliveredRecords {
  /** Start of the next request, in ms since the epoch; undefined for the start of the log. */
  #since: number | undefined;
  /** Number of delivered records since `#since`, by timestamp. */
  #counts = new Map<string, number>();
  /** Sum of `#counts`. */
  #count = 0;
  #latest = '';
  /** Number of records since `#since` that an earlier platform delivered. A response repeats them first, and then they are in `#counts`. */
  #earlier = 0;
  /** Records that the current response still repeats. */
  #repeated = new Map<string, number>();

  /** @param stored value of `toJSON`; default: the beginning of the log */
  constructor(stored?: unknown) {
    const { success, data } = StoredPosition.safeParse(stored);
    if (success) [this.#since, this.#earlier, this.#latest] = [data.since, data.count, data.latest];
  }

  /** Returns undefined for the beginning of the log. */
  toJSON(): StoredPosition | undefined {
    if (this.#since === undefined) return undefined;
    return { since: this.#since, count: this.#count + this.#earlier, latest: this.#latest };
  }

  /** Returns the `sinceTime` of a new request, and expects its response to repeat the last records. */
  restart(): string | undefined {
    this.#repeated = new Map(this.#counts);
    return this.#since === undefined ? undefined : new Date(this.#since).toISOString();
  }

  /** Returns whether the current response repeats a delivered record. Call it once for each record of a response. */
  isRepeated({ timestamp }: LogRecord): boolean {
    const repeats = this.#repeated.get(timestamp) ?? 0;
    if (repeats > 0) {
      this.#repeated.set(timestamp, repeats - 1);
      return true;
    }
    if (this.#earlier > 0 && Date.parse(timestamp) <= Date.parse(this.#latest)) {
      this.#earlier--;
      this.#add(timestamp);
      return true;
    }
    this.#earlier = 0;
    return false;
  }

  /** Counts a record as delivered. */
  add({ timestamp }: LogRecord): void {
    this.#advance(Date.parse(timestamp));
    this.#add(timestamp);
    if (this.#latest === '' || Date.parse(timestamp) > Date.parse(this.#latest)) this.#latest = timestamp;
  }

  #add(timestamp: string): void {
    this.#counts.set(timestamp, (this.#counts.get(timestamp) ?? 0) + 1);
    this.#count++;
  }

  /** Lets the next request start in the second before this record, because both streams of a worker share a log, not exactly in order. */
  #advance(at: number): void {
    const since = Math.floor(at / SECOND_MS) * SECOND_MS - SECOND_MS;
    if (Number.isNaN(since) || since <= (this.#since ?? -Infinity)) return;
    this.#since = since;
    for (const [timestamp, count] of this.#counts) {
      if (Date.parse(timestamp) >= since) continue;
      this.#counts.delete(timestamp);
      this.#count -= count;
    }
  }
}
