import type { LogEvent } from '../../../../contract/workerLogs.ts';
import { oneLine } from '../../../../text/shownText.ts';

const MAX_LINE_LENGTH = 1_000;

/** Returns foreign text on one line, without control characters. */
export function plainLine(text: string): string {
  const line = oneLine(text.slice(0, 4 * MAX_LINE_LENGTH)).trimEnd();
  return line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH - 1)}…`;
}

/** Formats lines of a worker's log. Lines of the platform are marked. */
export function logLines(events: readonly LogEvent[]): readonly string[] {
  return events.map(({ source, line }) => plainLine(source === 'system' ? `[platform] ${line}` : line));
}
