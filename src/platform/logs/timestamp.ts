/* Timestamps of log lines: RFC 3339 in UTC with nine decimals, so that they sort as text. */

/** Source of timestamps that strictly increase, so that each is an id. */
export class TimestampSequence {
  #last: string;

  /** @param last the newest one ever given, '' for none */
  constructor(last: string) {
    this.#last = last;
  }

  /** @param now ms since the epoch; may stand still or go back */
  next(now: number): string {
    const proposed = formatTimestamp(now, 0);
    this.#last = proposed > this.#last ? proposed : successor(this.#last);
    return this.#last;
  }
}

function formatTimestamp(ms: number, nanoseconds: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`;
}

/** The timestamp one nanosecond later. */
function successor(timestamp: string): string {
  const ms = Date.parse(`${timestamp.slice(0, 23)}Z`);
  const nanoseconds = Number(timestamp.slice(23, 29)) + 1;
  return nanoseconds === 1_000_000 ? formatTimestamp(ms + 1, 0) : formatTimestamp(ms, nanoseconds);
}

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/i;

/**
 * A date-time in the form of our timestamps, or undefined when it is none. Understands any offset and precision, and the older form
 * of event ids that has a sequence number after a slash (facts, section 3c).
 */
export function normalizeTimestamp(text: string): string | undefined {
  const match = RFC_3339.exec(text.replace(/\/\d+$/, ''));
  const [, seconds, fraction = '', offset] = match ?? [];
  const ms = Date.parse(`${seconds ?? ''}${offset?.toUpperCase() ?? ''}`);
  if (Number.isNaN(ms)) return undefined;
  return `${new Date(ms).toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`;
}
