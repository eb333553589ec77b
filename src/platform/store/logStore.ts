import type { LogSource } from '../../contract/workerLogs.ts';

/** Consecutive lines of one source. Their timestamps are one nanosecond apart. */
export interface LogBlock {
  readonly source: LogSource;
  /** Timestamps of the first and last line (RFC 3339 with nanoseconds, UTC). They increase from block to block of a worker. */
  readonly firstTs: string;
  readonly lastTs: string;
  /** At least one line. No line contains a line break. */
  readonly lines: readonly string[];
}

/** An amount of log lines. `bytes` is their approximate size on disk. */
export interface LogSize {
  readonly lines: number;
  readonly bytes: number;
}

/** A worker, and the endpoint that it belongs to. */
export interface LogOwner {
  readonly workerId: string;
  readonly endpointId: string;
}

/** New blocks of a worker's log. */
export interface WorkerBlocks extends LogOwner {
  readonly blocks: readonly LogBlock[];
  /** Position in the output of the worker's process after these blocks; default: stays as it is. */
  readonly position?: string | undefined;
}

export interface DroppedLogs extends LogSize {
  readonly workerId: string;
  /** Timestamp of the newest dropped line. */
  readonly lastTs: string;
}

/** Selects the blocks of a worker, from both sources or from one. */
export interface LogQuery {
  readonly workerId: string;
  readonly source?: LogSource | undefined;
}

/**
 * The log lines of all workers, in blocks. They survive the worker and the end of this process. A crash of the machine can lose the
 * last seconds.
 */
export interface LogStore {
  /**
   * Appends blocks to the logs of workers, all or none, in one transaction. Returns the size of the lines of each of them, in bytes.
   *
   * @throws the store's error, such as a full disk
   */
  append(batch: readonly WorkerBlocks[]): number[];
  /** Returns the position that was stored with the newest blocks of a worker. */
  position(workerId: string): string | undefined;
  /** Returns the first blocks with lines after a timestamp, in order: as many as fit into the limit, but at least one. */
  after(query: LogQuery, ts: string, limit: LogSize): LogBlock[];
  /** Locates the nth line from the end: the block that begins at `firstTs`, and the number of lines before it in the block. */
  fromEnd(query: LogQuery, lines: number): { readonly firstTs: string; readonly skip: number } | undefined;
  /** Returns the timestamp of a worker's newest line. */
  newest(workerId: string): string | undefined;
  /** Returns the size of one worker's log, or of all logs. */
  size(workerId?: string): LogSize;
  /** Bytes of the logs by endpoint, for endpoints with logs. Kept in memory, so reading it is free. */
  bytesByEndpoint(): ReadonlyMap<string, number>;
  /**
   * Drops the oldest blocks of one worker, or of all workers of an endpoint, until at least `excess` is freed, or until `maxBlocks` are
   * dropped. Returns the dropped size per worker.
   */
  dropOldest(
    of: Pick<LogOwner, 'workerId'> | Pick<LogOwner, 'endpointId'>,
    excess: LogSize,
    maxBlocks: number,
  ): DroppedLogs[];
  /** Checks a part of the blocks, and sets unusable ones aside. Returns false once all are checked. */
  checkPart(): boolean;
  /** Removes some blocks of a worker in a short transaction. Returns true if there may be more. */
  remove(workerId: string): boolean;
  /**
   * Keeps the file of the logs unchanged until it is released.
   *
   * @param copy path for a copy, if the logs have no file
   */
  freeze(copy: string): { readonly path: string; release(): void };
  close(): void;
}
