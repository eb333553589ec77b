import { readLogLine } from '../../model/readLogLine.ts';
import { countLinesBefore } from './countLines.ts';
import type { LinePlace, LogPages } from './logPages.ts';
import type { TimeSpan } from '../../model/moments.ts';

/** A line that was read before its log changed its numbering. */
export interface KnownLine {
  readonly workerId: string;
  /** In ms since the epoch. */
  readonly at: number;
  /** The text of the line, as `readLogLine` returns it. */
  readonly text: string;
}

/** Maximum number of lines with the same time that are compared. */
const MAX_COMPARED = 2000;

/**
 * Finds a line again: the line with the same text among the lines with the same time, or else the first line at or after that time.
 * Returns undefined if all lines are earlier.
 *
 * @throws LogRenumbered if the log changes its numbering
 */
export async function locateLine(pages: LogPages, { workerId, at, text }: KnownLine): Promise<LinePlace | undefined> {
  const index = pages.logs.findIndex(({ worker }) => worker.workerId === workerId);
  const log = pages.logs[index];
  if (log) {
    const from = await countLinesBefore(log, at, { inclusive: false });
    const to = Math.min(await countLinesBefore(log, at, { inclusive: true }), from + MAX_COMPARED);
    const offset = (await log.read(from, to)).findIndex(({ event }) => readLogLine(event).text === text);
    if (offset >= 0) return { log: index, line: from + offset };
  }
  return pages.lineOfTime(at);
}

/** Returns the times of a log, or undefined for an empty one. */
export async function timeSpanOf({ logs }: LogPages): Promise<TimeSpan | undefined> {
  let span: TimeSpan | undefined;
  for (const log of logs) {
    const [first] = log.blocks;
    const [last] = await log.read(Math.max(log.count - 1, 0), log.count);
    if (!first || !last) continue;
    span = { from: Math.min(first.at, span?.from ?? first.at), to: Math.max(last.at, span?.to ?? last.at) };
  }
  return span;
}
