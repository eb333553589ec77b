import type { ReadableLog } from '../../archive/readableLog.ts';
import { readLogLine } from '../../model/readLogLine.ts';
import { lineWriter, type LineFormat } from '../model/pageText.ts';
import { mergedLines, type MergedLine } from './mergedLines.ts';
import { TimeSlice } from '../../model/timeSlice.ts';

/** `text`: the lines as the editor shows them. `jsonLines`: a JSON object for each line, as the platform sent it. */
export type SavedFormat = 'text' | 'jsonLines';

export interface WriteOptions extends LineFormat {
  readonly format: SavedFormat;
  readonly signal: AbortSignal;
  /** Called after each write. */
  readonly onProgress?: (written: number, total: number) => void;
}

/** A line of a file in the format `jsonLines`. Other members of the event follow. */
export interface JsonLogLine {
  readonly workerId: string;
  readonly ts: string;
  readonly source: string;
  readonly line: string;
}

/**
 * Writes all lines of several logs in the order of their times. Holds a few blocks in memory. Lines that arrive in the meantime are not
 * written.
 *
 * @returns the number of lines
 * @throws LogRenumbered if a log changes its numbering
 * @throws the reason of the signal once it is aborted, and the errors of `write`
 */
export async function writeLog(
  logs: readonly ReadableLog[],
  write: (text: string) => Promise<unknown>,
  options: WriteOptions,
): Promise<number> {
  const { signal, onProgress } = options;
  const ends = logs.map(({ count }) => count);
  const total = ends.reduce((sum, end) => sum + end, 0);
  const format = options.format === 'text' ? textWriter(logs, options) : jsonWriter(logs);
  const slice = new TimeSlice();
  let written = 0;
  for await (const lines of mergedLines(logs, [], ends)) {
    const texts: string[] = [];
    for (const line of lines) {
      texts.push(format(line));
      await slice.pause(signal);
    }
    await write(texts.join(''));
    written += lines.length;
    onProgress?.(written, total);
  }
  return written;
}

function textWriter(logs: readonly ReadableLog[], format: LineFormat): (line: MergedLine) => string {
  const write = lineWriter(logs, format);
  return ({ log, entry }) => write({ log, entry, read: readLogLine(entry.event) }).text;
}

function jsonWriter(logs: readonly ReadableLog[]): (line: MergedLine) => string {
  return ({ log, entry: { event } }) => {
    const workerId = logs[log]?.worker.workerId ?? '';
    const { ts, source, line, ...others } = event;
    return `${JSON.stringify({ ...others, workerId, ts, source, line } satisfies JsonLogLine)}\n`;
  };
}
