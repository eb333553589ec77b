import type { ReadableLog } from '../../archive/readableLog.ts';
import { readLogLine, type ReadLogLine } from '../../model/readLogLine.ts';
import { shortRequestId } from '../../../../text/ids.ts';
import type { LinePlace } from './logPages.ts';
import { mergedLines, type MergedLine } from './mergedLines.ts';
import { TimedMatcher, type Match, type MatchResult } from './timedMatcher.ts';
import { TimeSlice } from '../../model/timeSlice.ts';

/** A line that matches a search, with its first match. */
export interface FoundLine extends LinePlace {
  readonly workerId: string;
  /** In ms since the epoch. */
  readonly at: number;
  /** The text of the line, as `readLogLine` returns it. */
  readonly text: string;
  /** The match in the text, in UTF-16 code units. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Number of the line in all logs, from 1. */
  readonly number: number;
}

export interface SearchProgress {
  /** Number of lines that have been searched. */
  readonly searched: number;
  /** Number of lines of all logs at the start of the search. */
  readonly total: number;
  /** Number of lines that were left out, because the expression takes too long for them. */
  readonly tooSlow: number;
}

export interface FindOptions {
  readonly signal: AbortSignal;
  /** Called after each batch of lines. */
  readonly onProgress?: (progress: SearchProgress) => void;
  /** Number of matching lines after which the search ends. */
  readonly maxHits?: number;
}

export const MAX_HITS = 10_000;

/** Length of the texts that are searched together, in UTF-16 code units. It bounds the time until other work gets a turn. */
const BATCH_LENGTH = 128 * 1024;

interface Candidate {
  readonly line: MergedLine;
  readonly read: ReadLogLine;
}

/**
 * Finds the lines that match an expression, oldest first. An expression also matches a line if it matches the complete ID of the line's
 * job, of which the text contains only a part. Other work gets a turn at least every 10 ms, apart from the time of a single read.
 *
 * @throws LogRenumbered if a log changes its numbering
 * @throws ExpressionTooSlow
 * @throws the reason of the signal once it is aborted
 */
export async function* findInLog(
  logs: readonly ReadableLog[],
  expression: RegExp,
  { signal, onProgress, maxHits = MAX_HITS }: FindOptions,
): AsyncGenerator<FoundLine, void> {
  const ends = logs.map(({ count }) => count);
  const total = ends.reduce((sum, end) => sum + end, 0);
  const matcher = new TimedMatcher(expression);
  const slice = new TimeSlice();
  const pause = () => slice.pause(signal);
  let [searched, tooSlow, hits] = [0, 0, 0];
  for await (const lines of mergedLines(logs, [], ends)) {
    for await (const candidates of batches(lines, pause)) {
      const results = await searchBatch(matcher, candidates, pause);
      for (const [index, result] of results.entries()) {
        const candidate = candidates[index];
        searched++;
        if (result === 'tooSlow') tooSlow++;
        else if (result && candidate) {
          yield foundLine(logs, candidate, result, searched);
          if (++hits >= maxHits) return;
        }
      }
      onProgress?.({ searched, total, tooSlow });
    }
  }
}

/** Reads the texts of lines, in batches of a limited length. */
async function* batches(
  lines: readonly MergedLine[],
  pause: () => Promise<void>,
): AsyncGenerator<readonly Candidate[]> {
  let batch: Candidate[] = [];
  let length = 0;
  for (const line of lines) {
    const read = readLogLine(line.entry.event);
    batch.push({ line, read });
    length += read.text.length;
    if (length < BATCH_LENGTH) continue;
    await pause();
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

async function searchBatch(
  matcher: TimedMatcher,
  candidates: readonly Candidate[],
  pause: () => Promise<void>,
): Promise<readonly MatchResult[]> {
  const texts = candidates.map(({ read }) => read.text);
  const ids = [...new Set(candidates.flatMap(({ read: { requestId } }) => requestId ?? []))];
  const found = await matcher.match([...texts, ...ids], pause);
  const results = found.slice(0, texts.length);
  const ofIds = found.slice(texts.length);
  const matching = new Set(ids.filter((_, index) => ofIds[index] && ofIds[index] !== 'tooSlow'));
  return results.map((result, index) => {
    const read = candidates[index]?.read;
    return result ?? (read?.requestId !== undefined && matching.has(read.requestId) ? shownPartOfId(read) : undefined);
  });
}

/** Returns the place of a job's ID in the text of a line, which contains the beginning of it. */
function shownPartOfId({ text, requestId = '' }: ReadLogLine): Match {
  const part = shortRequestId(requestId);
  const start = Math.max(text.indexOf(part), 0);
  return { start, end: text.startsWith(part, start) ? start + part.length : start };
}

function foundLine(logs: readonly ReadableLog[], { line, read }: Candidate, match: Match, number: number): FoundLine {
  const { log, entry } = line;
  const { start, end } = match;
  const workerId = logs[log]?.worker.workerId ?? '';
  return { log, line: line.line, workerId, at: entry.at, text: read.text, start, end, number };
}
