import type { LogEvent } from '../../contract/workerLogs.ts';

/** Longest line of a worker's log that is handed on whole, in UTF-16 units. */
export const LONGEST_LINE = 64 * 1024;

/** The event with a line that can be searched and shown. A longer line is cut, and its end says how much is missing. */
export function withinBounds<Event extends Pick<LogEvent, 'line'>>(event: Event): Event {
  const { line } = event;
  if (line.length <= LONGEST_LINE) return event;
  // A surrogate pair stays whole.
  const kept = line.slice(0, LONGEST_LINE).replace(/[\uD800-\uDBFF]$/, '');
  const missing = line.length - kept.length;
  return { ...event, line: `${kept}… [cut: ${missing} of ${line.length} characters are not shown]` };
}
