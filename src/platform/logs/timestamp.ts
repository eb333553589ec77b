import { EARLIEST_MOMENT, LATEST_MOMENT } from '../../contract/bounds.ts';
import { parseInstant } from '../../contract/dateTime.ts';

/* Timestamps of log lines: RFC 3339 in UTC with nine decimals, so that they sort as text. */

const NS_PER_MS = 1_000_000;
/** Where the nanoseconds within the millisecond stand. */
const NS_AT = 'YYYY-MM-DDThh:mm:ss.mmm'.length;

/** A run of timestamps, each one nanosecond after the one before. */
export interface TimestampRun {
  readonly first: string;
  readonly last: string;
  /** It begins one nanosecond after the run before it. */
  readonly continues: boolean;
}

/** Source of timestamps that strictly increase, so that each is an id. */
export class TimestampSequence {
  #last: string;

  /** @param last the newest one ever given, '' for none */
  constructor(last: string) {
    this.#last = last;
  }

  /**
   * As many timestamps as asked for.
   *
   * @param now ms since the epoch; may stand still or go back
   */
  take(now: number, count: number): TimestampRun {
    const proposed = format(now, 0);
    const continues = proposed <= this.#last;
    const first = continues ? addNanoseconds(this.#last, 1) : proposed;
    this.#last = addNanoseconds(first, count - 1);
    return { first, last: this.#last, continues };
  }
}

/** The timestamp that many nanoseconds later; earlier when negative. */
export function addNanoseconds(timestamp: string, nanoseconds: number): string {
  if (nanoseconds === 0) return timestamp;
  const sum = nanosecondsOf(timestamp) + nanoseconds;
  // Within the millisecond, which is nearly always, the text before stays as it is.
  if (sum >= 0 && sum < NS_PER_MS) return timestamp.slice(0, NS_AT) + decimals(sum);
  const carry = Math.floor(sum / NS_PER_MS);
  return format(millisecondsOf(timestamp) + carry, sum - carry * NS_PER_MS);
}

/** Nanoseconds from one timestamp to another; exact as far as numbers are, which is about a hundred days. */
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
 * Converts a date-time to the format of log timestamps; undefined if it is not valid. Accepts every form of RFC 3339, and the older event
 * IDs, which have a sequence number after a slash.
 */
export function normalizeTimestamp(text: string): string | undefined {
  const instant = parseInstant(text.replace(/\/\d+$/, ''));
  if (!instant) return undefined;
  // No log line lies outside this range.
  const ms = Math.min(Math.max(instant.ms, EARLIEST_MOMENT), LATEST_MOMENT);
  return format(ms, instant.nanoseconds);
}
