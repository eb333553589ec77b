/* Timestamps of the API, which are complete RFC 3339 date-times. */

/** A point in time with nanosecond precision. Further digits are truncated. */
export interface Instant {
  /** Milliseconds since the epoch, rounded down. */
  readonly ms: number;
  /** Nanoseconds after `ms`, 0 to 999,999. */
  readonly nanoseconds: number;
}

const GRAMMAR = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses an RFC 3339 date-time with any offset and precision, in either case. Returns undefined for other text. A leap second, which
 * is valid only at the end of a month in UTC, is the start of the next minute.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match.slice(7);
  if (hour > 23 || minute > 59 || second > 60 || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const date = new Date(0);
  // setUTCFullYear, unlike Date.UTC, does not map years below 100 to the 20th century.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute - offset, second);
  if (second === 60 && !(date.getUTCDate() === 1 && date.getUTCHours() === 0 && date.getUTCMinutes() === 0))
    return undefined;
  const digits = fraction.padEnd(9, '0');
  return { ms: date.getTime() + Number(digits.slice(0, 3)), nanoseconds: Number(digits.slice(3, 9)) };
}

/** Converts a validated date-time to milliseconds since the epoch, rounded down. @throws RangeError for any other text */
export function millisecondsOf(text: string): number {
  const instant = parseInstant(text);
  if (!instant) throw new RangeError(`'${text}' is not an RFC 3339 date-time`);
  return instant.ms;
}

/** Formats a time in milliseconds since the epoch. */
export const dateTime = (ms: number): string => new Date(ms).toISOString();
