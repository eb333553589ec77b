import { parseMoment } from '../../model/moments.ts';

/** Times of the first and the last line of a log, in ms since the epoch. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses a time in a log. A time without a date is the last such time before the end of the log, and not before now, because the log can
 * have ended days ago.
 */
export function timeIn(text: string, span: TimeSpan, now: number, timeZone?: string): number | undefined {
  const at = parseMoment(text, now, timeZone);
  if (at === undefined || at <= span.to) return at;
  // A time such as "10 min ago" depends on the exact time of the request.
  const isRelative = parseMoment(text, now + 1, timeZone) !== at;
  return isRelative ? at : parseMoment(text, span.to, timeZone);
}
