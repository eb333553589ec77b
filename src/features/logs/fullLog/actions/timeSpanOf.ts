import type { TimeSpan } from '../model/timeInLog.ts';
import type { LogPages } from './logPages.ts';

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
