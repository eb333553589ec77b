/** How the lines of a log show their time. */
export const TIMESTAMP_MODES = ['local', 'utc', 'off'] as const;
export type TimestampMode = (typeof TIMESTAMP_MODES)[number];

/** Day and time of a line. */
export interface LogTime {
  /** In ISO 8601, such as `2026-11-22`. */
  readonly day: string;
  /** With milliseconds, such as `10:42:05.123`. */
  readonly time: string;
}

const MINUTE_MS = 60_000;
/** Maximum distance of a date from the epoch, in ms. */
const MAX_TIME = 8.64e15;

/** Formats the times of a log. Consecutive lines are mostly from the same minute, so only the first one needs the calendar. */
export class LogClock {
  readonly #minute: Intl.DateTimeFormat;
  readonly #date: Intl.DateTimeFormat;
  #known: { readonly minute: number; readonly day: string; readonly time: string } | undefined;

  /** @param timeZone the machine's time zone by default */
  constructor(timeZone?: string) {
    this.#minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
    // The Swedish date format is ISO 8601.
    this.#date = new Intl.DateTimeFormat('sv-SE', { timeZone });
  }

  /** @param at ms since the epoch. Returns undefined if that is not a valid time. */
  read(at: number): LogTime | undefined {
    if (!(Math.abs(at) <= MAX_TIME)) return undefined;
    const minute = Math.floor(at / MINUTE_MS);
    const known = this.#known?.minute === minute ? this.#known : this.#readMinute(minute);
    this.#known = known;
    const ms = Math.floor(at) - minute * MINUTE_MS;
    const seconds = Math.floor(ms / 1000);
    return { day: known.day, time: `${known.time}:${padded(seconds, 2)}.${padded(ms % 1000, 3)}` };
  }

  #readMinute(minute: number) {
    // The first minute of all times begins before the earliest valid date.
    const at = Math.max(minute * MINUTE_MS, -MAX_TIME);
    return { minute, day: this.#date.format(at), time: this.#minute.format(at) };
  }
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
