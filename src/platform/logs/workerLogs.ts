import { writeSystemLine } from '../../contract/systemLines.ts';
import type { LogSource } from '../../contract/workerLogs.ts';
import type { Clock } from '../time/clock.ts';
import { Turns } from '../time/turns.ts';
import type { DroppedLogs, LogQuery, LogSize, LogStore } from '../store/logStore.ts';
import { LogBuffer } from './logBuffer.ts';
import { LogPages, type LogPage } from './logPages.ts';
import { addNanoseconds } from './timestamp.ts';

/** What is kept at most; the oldest goes first. */
export interface LogLimits {
  readonly worker: LogSize;
  /** Of all workers together, also of those that are gone. */
  readonly allBytes: number;
}

const MIB = 1_048_576;
export const LOG_LIMITS: LogLimits = { worker: { lines: 2_000_000, bytes: 128 * MIB }, allBytes: 1_024 * MIB };
/** The part of a limit that is dropped at once, so that dropping is rare and each time short. */
const DROPPED_PART = 1 / 32;

/** Lines that come within that time are stored and told together. */
const FLUSH_DELAY_MS = 10;
/** Lines are stored before that many characters wait. */
const FLUSH_LENGTH = 262_144;
/** Pages that all readers together get in one turn of the event loop. */
const PAGES_PER_TURN = 8;
/** Characters held per worker while the store refuses them. */
const REFUSED_LENGTH = 1_048_576;
const RETRY_MS = 1_000;

interface WorkerLog {
  readonly buffer: LogBuffer;
  /** What is stored. */
  size: LogSize;
  /** Lines that the store refused and that could not be held until it took some again. */
  lost: number;
  /** Why it did so last. */
  refusal: string | undefined;
  /** Nothing more is expected: forgotten once it is stored. */
  over: boolean;
}

/** The log of every worker: stored in small batches, and read page by page by any number of readers. */
export class WorkerLogs {
  /** Taken by readers before each page. */
  readonly turns = new Turns(PAGES_PER_TURN);
  readonly #store: LogStore;
  readonly #clock: Clock;
  readonly #limits: LogLimits;
  readonly #pages: LogPages;
  readonly #logs = new Map<string, WorkerLog>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Bytes stored for all workers, once they had to be counted. */
  #storedBytes: number | undefined;
  #waitingLength = 0;
  #cancelFlush: (() => void) | undefined;
  /** The store has refused lines and is not asked again for a while. */
  #refused = false;
  #closed = false;

  constructor(store: LogStore, clock: Clock, limits: LogLimits = LOG_LIMITS) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#pages = new LogPages(store);
  }

  /**
   * Takes lines as they come, or a text of one or more. Never fails: what cannot be stored is held for a while, then lost, and the log
   * says so.
   */
  append(workerId: string, source: LogSource, lines: string | readonly string[]): void {
    if (this.#closed) return;
    const log = this.#logs.get(workerId) ?? this.#open(workerId, false);
    const before = log.buffer.length;
    log.buffer.add(source, typeof lines === 'string' ? lines.split('\n') : lines, this.#clock.now());
    if (this.#refused) {
      log.lost += log.buffer.shrinkTo(REFUSED_LENGTH);
      return;
    }
    this.#waitingLength += log.buffer.length - before;
    if (this.#waitingLength >= FLUSH_LENGTH) this.#save();
    else this.#cancelFlush ??= this.#clock.after(FLUSH_DELAY_MS, () => this.#save());
  }

  /** Stores what has not been stored yet, unless the store has just refused it. */
  flush(): void {
    if (!this.#refused) this.#save();
  }

  /** Stores what it can, and takes no more. */
  close(): void {
    this.#save();
    this.#cancelFlush?.();
    this.#closed = true;
  }

  /** The lines after a cursor. @returns undefined when there are none yet */
  pageAfter(query: LogQuery, cursor: string): LogPage | undefined {
    this.flush();
    return this.#pages.after(query, cursor);
  }

  /** The cursor after every line that is stored; those that still wait for that come after it. */
  storedCursor(workerId: string): string {
    return this.#store.newest(workerId) ?? '';
  }

  /** The cursor with so many lines after it, or as many as there are. */
  cursorBefore(query: LogQuery, lines: number): string {
    this.flush();
    if (lines === 0) return this.storedCursor(query.workerId);
    const found = this.#store.fromEnd(query, lines);
    return found === undefined ? '' : addNanoseconds(found.firstTs, found.skip - 1);
  }

  /** Calls back whenever a worker may have new lines. Returns what ends it. */
  listen(workerId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(workerId) ?? new Set();
    this.#listeners.set(workerId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(workerId) === listeners) this.#listeners.delete(workerId);
    };
  }

  /** The worker is gone for good: forgets what is held for it in memory. Its lines stay on disk. */
  release(workerId: string): void {
    const log = this.#logs.get(workerId);
    if (log) log.over = true;
    this.flush();
  }

  #save(): void {
    if (this.#closed) return;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#waitingLength = 0;
    this.#refused = false;
    for (const [workerId, log] of this.#logs) {
      if (log.buffer.length > 0) this.#saveOne(workerId, log);
      if (log.over && log.buffer.length === 0) this.#logs.delete(workerId);
    }
    this.#retryIfRefused();
  }

  #retryIfRefused(): void {
    if (!this.#refused) return;
    this.#cancelFlush?.();
    this.#cancelFlush = this.#clock.after(RETRY_MS, () => this.#save());
  }

  #saveOne(workerId: string, log: WorkerLog): void {
    try {
      const added = this.#store.append(workerId, log.buffer.blocks);
      log.buffer.clear();
      this.#tellLost(workerId, log);
      this.#drop(workerId, log, added);
    } catch (error) {
      this.#refused = true;
      log.refusal = error instanceof Error ? error.message : String(error);
    }
    for (const tell of this.#listeners.get(workerId) ?? []) tell();
  }

  #tellLost(workerId: string, log: WorkerLog): void {
    if (log.lost === 0) return;
    const line = writeSystemLine({ kind: 'linesLost', count: log.lost, reason: log.refusal ?? '' });
    log.lost = 0;
    this.append(workerId, 'system', line);
  }

  /** Keeps the limits, after so much was added to a log. */
  #drop(workerId: string, log: WorkerLog, added: LogSize): void {
    const { worker, allBytes } = this.#limits;
    log.size = { lines: log.size.lines + added.lines, bytes: log.size.bytes + added.bytes };
    this.#storedBytes = this.#storedBytes === undefined ? this.#store.size().bytes : this.#storedBytes + added.bytes;
    if (log.size.lines > worker.lines || log.size.bytes > worker.bytes) {
      const excess = {
        lines: log.size.lines - worker.lines * (1 - DROPPED_PART),
        bytes: log.size.bytes - worker.bytes * (1 - DROPPED_PART),
      };
      const limit = `a worker's log holds at most ${count(worker.lines)} lines and ${mib(worker.bytes)}`;
      this.#tellDropped(this.#store.dropOldest(excess, workerId), limit);
    }
    // Counted anew, since logs of deleted endpoints go without our knowing.
    if (this.#storedBytes > allBytes) this.#storedBytes = this.#store.size().bytes;
    if (this.#storedBytes > allBytes) {
      const excess = { lines: 0, bytes: this.#storedBytes - allBytes * (1 - DROPPED_PART) };
      this.#tellDropped(this.#store.dropOldest(excess), `the logs of all workers take at most ${mib(allBytes)}`);
    }
  }

  #tellDropped(dropped: readonly DroppedLogs[], limit: string): void {
    for (const { workerId, lines, bytes, lastTs } of dropped) {
      // The log of a worker that is gone is opened for this one line.
      const log = this.#logs.get(workerId) ?? this.#open(workerId, true);
      log.size = { lines: log.size.lines - lines, bytes: log.size.bytes - bytes };
      this.#storedBytes = (this.#storedBytes ?? 0) - bytes;
      const line = writeSystemLine({ kind: 'linesDropped', count: count(lines), until: lastTs, limit });
      this.append(workerId, 'system', line);
    }
  }

  #open(workerId: string, over: boolean): WorkerLog {
    const buffer = new LogBuffer(this.#store.newest(workerId) ?? '');
    const log = { buffer, size: this.#store.size(workerId), lost: 0, refusal: undefined, over };
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
