import * as l10n from '@vscode/l10n';
import type { LogEvent } from '../../contract/workerLogs.ts';

/** Maximum length of a line of a worker's log, in UTF-16 code units. Longer lines are cut. */
const LONGEST_LINE = 64 * 1024;

/** Cuts the line of an event to `LONGEST_LINE`. A cut line ends with the number of missing characters. */
export function withinBounds<Event extends Pick<LogEvent, 'line'>>(event: Event): Event {
  const { line } = event;
  if (line.length <= LONGEST_LINE) return event;
  // Keeps surrogate pairs whole.
  const kept = line.slice(0, LONGEST_LINE).replace(/[\uD800-\uDBFF]$/, '');
  const missing = line.length - kept.length;
  return { ...event, line: l10n.t`${kept}… [cut: ${missing} of ${line.length} characters are not shown]` };
}
