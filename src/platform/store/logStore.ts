import type { LogSource } from '../../contract/workerLogs.ts';

/** Lines of one source that came together. Their timestamps are one nanosecond apart. */
export interface LogBlock {
  readonly source: LogSource;
  /** Timestamps of the first and the last line (RFC 3339 with nanoseconds in UTC); they increase from block to block of a worker. */
  readonly firstTs: string;
  readonly lastTs: string;
  /** At least one; none holds a line break. */
  readonly lines: readonly string[];
}

/** An amount of log lines; the bytes are about what they take on disk. */
export interface LogSize {
  readonly lines: number;
  readonly bytes: number;
}

export interface DroppedLogs extends LogSize {
  readonly workerId: string;
  /** Timestamp of the newest line that was dropped. */
  readonly lastTs: string;
}

/** Whose blocks, of both sources or of one. */
export interface LogQuery {
  readonly workerId: string;
  readonly source?: LogSource | undefined;
}

/**
 * The log lines of every worker, in blocks. They outlive the worker, and this process; the end of the machine may cost the last
 * seconds of them.
 */
export interface LogStore {
  /** Adds blocks to the end of a worker's log, all or none. Returns how much that is. @throws the store's error, such as a full disk */
  append(workerId: string, blocks: readonly LogBlock[]): LogSize;
  /** The first blocks with lines after a timestamp, in order: as many as fit into the limit, and one in any case. */
  after(query: LogQuery, ts: string, limit: LogSize): LogBlock[];
  /** Where the line that is the nth from the end stands: in the block that begins at `firstTs`, after so many lines of it. */
  fromEnd(query: LogQuery, lines: number): { readonly firstTs: string; readonly skip: number } | undefined;
  /** Timestamp of a worker's newest line. */
  newest(workerId: string): string | undefined;
  /** How much there is of one worker, or of all. */
  size(workerId?: string): LogSize;
  /** Drops the oldest blocks of one worker, or of all, until at least so much is gone. Returns what is, for each worker. */
  dropOldest(excess: LogSize, workerId?: string): DroppedLogs[];
  /** Forgets all lines of these workers. */
  remove(workerIds: readonly string[]): void;
  /** Writes all of it into the snapshot that the store has begun. */
  addToSnapshot(file: string): void;
  close(): void;
}
