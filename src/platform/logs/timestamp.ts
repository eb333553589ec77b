import { EARLIEST_MOMENT, LATEST_MOMENT } from '../../contract/bounds.ts';
import { parseInstant } from '../../contract/dateTime.ts';

/* Timestamps of log lines: RFC 3339 in UTC with nine decimals, so that they can be compared as strings. */

const NS_PER_MS = 1_000_000;
/** Index of the nanoseconds within the millisecond. */
const NS_AT = 'YYYY-MM-DDThh:mm:ss.mmm'.length;

/** A range of timestamps that are one nanosecond apart. */
export interface TimestampRun {
  readonly first: string;
  readonly last: string;
  /** True if it begins one nanosecond after the previous range. */
  readonly continues: boolean;
}

/** Generates strictly increasing timestamps, so that each can serve as an ID. */
export class TimestampSequence {
  #last: string;

  /** @param last the newest timestamp so far, or '' if there is none */
  constructor(last: string) {
    this.#last = last;
  }

  /**
   * Returns the next `count` timestamps.
   *
   * @param now time in ms since the epoch; it may repeat or decrease
   */
  take(now: number, count: number): TimestampRun {
    const proposed = format(now, 0);
    const continues = proposed <= this.#last;
    const first = continues ? addNanoseconds(this.#last, 1) : proposed;
    this.#last = addNanoseconds(first, count - 1);
    return { first, last: this.#last, continues };
  }
}

/** Returns the timestamp plus a number of nanoseconds, which may be negative. */
export function addNanoseconds(timestamp: string, nanoseconds: number): string {
  if (nanoseconds === 0) return timestamp;
  const sum = nanosecondsOf(timestamp) + nanoseconds;
  // The sum is nearly always within the same millisecond, whose text can be reused.
  if (sum >= 0 && sum < NS_PER_MS) return timestamp.slice(0, NS_AT) + decimals(sum);
  const carry = Math.floor(sum / NS_PER_MS);
  return format(millisecondsOf(timestamp) + carry, sum - carry * NS_PER_MS);
}

/** Returns the nanoseconds from one timestamp to another. The result is exact up to about a hundred days. */
export function nanosecondsBetween(from: string, to: string): number {
  return (millisecondsOf(to) - millisecondsOf(from)) * NS_PER_MS + nanosecondsOf(to) - nanosecondsOf(from);
}

function format(ms: number, nanoseconds: number): string {
  return new Date(ms).toISOString().slice(0, NS_AT) + decimals(nanoseconds);
}

function decimals(nanoseconds: number): string {
  return `${String(nanoseconds).padStart(6, '0')}Z`;
}

function millisecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, NS_AT)}Z`);
}

function nanosecondsOf(timestamp: string): number {
  return Number(timestamp.slice(NS_AT, -1));
}

/**
 * Converts a date-time to the format of log timestamps. Returns undefined if it is not valid. Accepts every form of RFC 3339, and event
 * IDs in the older form, which have a sequence number after a slash.
 */
export function normalizeTimestamp(text: string): string | undefined {
  const instant = parseInstant(text.replace(/\/\d+$/, ''));
  if (!instant) return undefined;
  // All log lines are within this range.
  const ms = Math.min(Math.max(instant.ms, EARLIEST_MOMENT), LATEST_MOMENT);
  return format(ms, instant.nanoseconds);
}
