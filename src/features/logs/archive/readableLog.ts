import type { LogEvent } from '../../../contract/workerLogs.ts';
import type { LoggedWorker } from '../model/logSubject.ts';

/** A stored line of a worker's log. */
export interface LogEntry {
  readonly event: LogEvent;
  /**
   * Time in ms since the epoch. It never decreases within a log: a line whose timestamp is invalid, or earlier than the line before it, has
   * the time of the line before it.
   */
  readonly at: number;
}

/** A run of consecutive lines of a log, which the index describes as one. */
export interface LogBlock {
  /** Index of the first line, from 0. */
  readonly first: number;
  /** Time of the first line, in ms since the epoch. */
  readonly at: number;
}

/** Maximum number of lines in a block. */
export const BLOCK_LINES = 256;

/** The stored lines of one worker, oldest first. */
export interface ReadableLog {
  readonly worker: LoggedWorker;
  /** Number of lines. It grows as lines arrive. */
  readonly count: number;
  /** The index: all blocks, oldest first. A block has at most `BLOCK_LINES` lines and ends where the next one begins. */
  readonly blocks: readonly LogBlock[];
  /** Number of earlier lines that were removed because the log exceeded its size limit. They are not part of `count`. */
  readonly removed: number;
  /** Whether the log begins with the first line that the platform has. Otherwise, earlier lines may exist on the platform. */
  readonly isComplete: boolean;
  /**
   * Changes when lines are inserted or removed at the beginning, so that the lines have other indexes. Appended lines do not change it.
   */
  readonly generation: number;
  /** Reads the lines from `from` (inclusive) to `to` (exclusive). Reads only the blocks that contain them. */
  read(from: number, to: number): Promise<readonly LogEntry[]>;
}
