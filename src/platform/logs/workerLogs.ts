import { writeSystemLine, type SystemLine } from '../../contract/systemLines.ts';
import type { LogSource } from '../../contract/workerLogs.ts';
import type { Clock } from '../time/clock.ts';
import { Turns } from '../time/turns.ts';
import type { DroppedLogs, LogQuery, LogSize, LogStore } from '../store/logStore.ts';
import { LogBuffer } from './logBuffer.ts';
import { LogPages, type LogPage } from './logPages.ts';
import { addNanoseconds } from './timestamp.ts';

/** Limits of the stored logs. The oldest lines are dropped first. */
export interface LogLimits {
  /** Limit for one worker. */
  readonly worker: LogSize;
  /** Limit for all workers together, including workers that have stopped. */
  readonly allBytes: number;
}

const MIB = 1_048_576;
const LOG_LIMITS: LogLimits = { worker: { lines: 2_000_000, bytes: 128 * MIB }, allBytes: 1_024 * MIB };
/** Fraction of a limit that is dropped at a time. It keeps drops rare and short. */
const DROPPED_FRACTION = 1 / 32;

/** Time in ms during which lines are collected before they are stored and reported together. */
const FLUSH_DELAY_MS = 10;
/** Number of buffered characters that triggers a flush. */
const FLUSH_LENGTH = 262_144;
/** Maximum number of pages that all readers together receive in one turn of the event loop. */
const PAGES_PER_TURN = 8;
/** Maximum number of buffered characters per worker while the store is failing. */
const MAX_LENGTH_WHILE_FAILING = 1_048_576;
const RETRY_MS = 1_000;

interface WorkerLog {
  readonly buffer: LogBuffer;
  /** Size of the stored lines. */
  size: LogSize;
  /** Number of lines that were dropped because the store was failing. */
  lost: number;
  /** Message of the store's last error. */
  lastError: string | undefined;
  /** Returns the position in the output of the process after all lines so far. Undefined if the process ends with the platform. */
  position: (() => string) | undefined;
  /** True if no more lines are expected. The entry is removed once its lines are stored. */
  released: boolean;
}

/** The logs of all workers. Lines are stored in small batches, and read page by page by any number of readers. */
export class WorkerLogs {
  /** Limits the pages per turn. Readers take a step before each page. */
  readonly turns = new Turns(PAGES_PER_TURN);
  readonly #store: LogStore;
  readonly #clock: Clock;
  readonly #limits: LogLimits;
  readonly #pages: LogPages;
  readonly #logs = new Map<string, WorkerLog>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Stored bytes of all workers. Undefined until they are first needed. */
  #storedBytes: number | undefined;
  #waitingLength = 0;
  #cancelFlush: (() => void) | undefined;
  /** True after an error of the store, until the next attempt. */
  #failing = false;
  #closed = false;

  constructor(store: LogStore, clock: Clock, limits: LogLimits = LOG_LIMITS) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#pages = new LogPages(store);
  }

  /**
   * Appends lines, or a string of one or more lines. Never throws. Lines that cannot be stored are buffered up to a limit, and the
   * oldest are dropped. The log reports their number.
   *
   * @param at time of the lines, in ms since the epoch; default: now. Lines keep their order, and no line is dated in the future.
   * @param position returns the position in the output of the process after all lines so far. It is stored in the transaction that stores
   * the lines, so that the next platform continues without a lost or doubled line.
   */
  append(
    workerId: string,
    source: LogSource,
    lines: string | readonly string[],
    at?: number,
    position?: () => string,
  ): void {
    if (this.#closed) return;
    const log = this.#logs.get(workerId) ?? this.#open(workerId, false);
    log.position = position ?? log.position;
    const before = log.buffer.length;
    const now = this.#clock.now();
    log.buffer.add(source, typeof lines === 'string' ? lines.split('\n') : lines, Math.min(at ?? now, now));
    if (this.#failing) {
      log.lost += log.buffer.shrinkTo(MAX_LENGTH_WHILE_FAILING);
      return;
    }
    this.#waitingLength += log.buffer.length - before;
    if (this.#waitingLength >= FLUSH_LENGTH) this.#save();
    else this.#cancelFlush ??= this.#clock.after(FLUSH_DELAY_MS, () => this.#save());
  }

  /** Appends a system line to the log of a worker, which can have stopped. */
  note(workerId: string, line: SystemLine): void {
    if (this.#closed) return;
    // The log of a stopped worker is opened only to add this line.
    if (!this.#logs.has(workerId)) this.#open(workerId, true);
    this.append(workerId, 'system', writeSystemLine(line));
  }

  /** Stores the buffered lines, unless the store is failing. */
  flush(): void {
    if (!this.#failing) this.#save();
  }

  /** Stores the buffered lines, and ignores all further lines. */
  close(): void {
    this.#save();
    this.#cancelFlush?.();
    this.#closed = true;
  }

  /** Returns the lines after a cursor. @returns undefined if there are none yet */
  pageAfter(query: LogQuery, cursor: string): LogPage | undefined {
    this.flush();
    return this.#pages.after(query, cursor);
  }

  /** Returns the position in the output of a process that was stored with its newest lines. */
  position(workerId: string): string | undefined {
    return this.#store.position(workerId);
  }

  /** Returns the cursor after the last stored line. Buffered lines follow it. */
  storedCursor(workerId: string): string {
    return this.#store.newest(workerId) ?? '';
  }

  /** Returns the cursor with this many lines after it, or with all lines if there are fewer. */
  cursorBefore(query: LogQuery, lines: number): string {
    this.flush();
    if (lines === 0) return this.storedCursor(query.workerId);
    const found = this.#store.fromEnd(query, lines);
    return found === undefined ? '' : addNanoseconds(found.firstTs, found.skip - 1);
  }

  /** Calls the listener whenever a worker may have new lines. Returns a function that removes the listener. */
  listen(workerId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(workerId) ?? new Set();
    this.#listeners.set(workerId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(workerId) === listeners) this.#listeners.delete(workerId);
    };
  }

  /** Frees the memory of a worker that has fully stopped. Its lines stay on disk. */
  release(workerId: string): void {
    const log = this.#logs.get(workerId);
    if (log) log.released = true;
    this.flush();
  }

  #save(): void {
    if (this.#closed) return;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#waitingLength = 0;
    this.#failing = false;
    for (const [workerId, log] of this.#logs) {
      if (log.buffer.length > 0) this.#saveOne(workerId, log);
      if (log.released && log.buffer.length === 0) this.#logs.delete(workerId);
    }
    this.#scheduleRetry();
  }

  #scheduleRetry(): void {
    if (!this.#failing) return;
    this.#cancelFlush?.();
    this.#cancelFlush = this.#clock.after(RETRY_MS, () => this.#save());
  }

  #saveOne(workerId: string, log: WorkerLog): void {
    try {
      const added = this.#store.append(workerId, log.buffer.blocks, log.position?.());
      log.buffer.clear();
      this.#reportLost(workerId, log);
      this.#drop(workerId, log, added);
    } catch (error) {
      this.#failing = true;
      log.lastError = error instanceof Error ? error.message : String(error);
    }
    for (const listener of this.#listeners.get(workerId) ?? []) listener();
  }

  #reportLost(workerId: string, log: WorkerLog): void {
    if (log.lost === 0) return;
    const { lost, lastError = '' } = log;
    log.lost = 0;
    this.note(workerId, { kind: 'linesLost', count: lost, reason: lastError });
  }

  /** Enforces the limits after lines were added to a log. */
  #drop(workerId: string, log: WorkerLog, added: LogSize): void {
    const { worker, allBytes } = this.#limits;
    log.size = { lines: log.size.lines + added.lines, bytes: log.size.bytes + added.bytes };
    this.#storedBytes = this.#storedBytes === undefined ? this.#store.size().bytes : this.#storedBytes + added.bytes;
    if (log.size.lines > worker.lines || log.size.bytes > worker.bytes) {
      const excess = {
        lines: log.size.lines - worker.lines * (1 - DROPPED_FRACTION),
        bytes: log.size.bytes - worker.bytes * (1 - DROPPED_FRACTION),
      };
      const limit = `a worker's log holds at most ${count(worker.lines)} lines and ${mib(worker.bytes)}`;
      this.#reportDropped(this.#store.dropOldest(excess, workerId), limit);
    }
    // Counts again, because logs of deleted endpoints are removed without a notification.
    if (this.#storedBytes > allBytes) this.#storedBytes = this.#store.size().bytes;
    if (this.#storedBytes > allBytes) {
      const excess = { lines: 0, bytes: this.#storedBytes - allBytes * (1 - DROPPED_FRACTION) };
      this.#reportDropped(this.#store.dropOldest(excess), `the logs of all workers take at most ${mib(allBytes)}`);
    }
  }

  #reportDropped(dropped: readonly DroppedLogs[], limit: string): void {
    for (const { workerId, lines, bytes, lastTs } of dropped) {
      const log = this.#logs.get(workerId) ?? this.#open(workerId, true);
      log.size = { lines: log.size.lines - lines, bytes: log.size.bytes - bytes };
      this.#storedBytes = (this.#storedBytes ?? 0) - bytes;
      this.note(workerId, { kind: 'linesDropped', count: count(lines), until: lastTs, limit });
    }
  }

  #open(workerId: string, released: boolean): WorkerLog {
    const buffer = new LogBuffer(this.#store.newest(workerId) ?? '');
    const log = {
      buffer,
      size: this.#store.size(workerId),
      lost: 0,
      lastError: undefined,
      position: undefined,
      released,
    };
    this.#logs.set(workerId, log);
    return log;
  }
}

function count(lines: number): string {
  return lines.toLocaleString('en');
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
