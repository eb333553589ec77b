import { writeSystemLine, type SystemLine } from '../../contract/systemLines.ts';
import type { LogSource } from '../../contract/workerLogs.ts';
import type { Clock } from '../time/clock.ts';
import { Turns } from '../time/pacing.ts';
import type { LogOwner, LogQuery, LogStore } from '../store/logStore.ts';
import { LogBuffer } from './logBuffer.ts';
import { LogPages, type LogPage } from './logPages.ts';
import { LogRetention, type LogLimits } from './logRetention.ts';
import { addNanoseconds } from './timestamp.ts';

const MIB = 1_048_576;
const LOG_LIMITS: LogLimits = { worker: { lines: 2_000_000, bytes: 128 * MIB }, allBytes: 1_024 * MIB };

/** Time in ms during which lines are collected before they are stored and reported together. It grows with the number of blocks. */
const FLUSH_DELAY = { minMs: 10, maxMs: 100, msPerBlock: 0.25 };
/** Maximum number of logs that one transaction stores, so that it takes a few milliseconds. */
const LOGS_PER_TRANSACTION = 100;
/** Time in ms between two transactions of a flush, in which the platform answers requests. */
const TRANSACTION_PAUSE_MS = 1;
/** Number of buffered characters that triggers a flush. */
const FLUSH_LENGTH = 524_288;
/** Maximum number of pages that all readers together receive in one turn of the event loop. */
const PAGES_PER_TURN = 8;
/** Maximum number of buffered characters while the store is failing: of one worker, and of all workers, which have equal shares. */
const MAX_LENGTH_WHILE_FAILING = { worker: 1_048_576, all: 33_554_432 };
const RETRY_MS = 1_000;

interface WorkerLog {
  readonly owner: LogOwner;
  readonly buffer: LogBuffer;
  /** Number of lines that were dropped because the store was failing. */
  lost: number;
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
  readonly #pages: LogPages;
  readonly #retention: LogRetention;
  readonly #onStored: (owner: LogOwner, bytes: number) => void;
  readonly #logs = new Map<string, WorkerLog>();
  /** Logs with buffered lines. */
  readonly #waiting = new Set<WorkerLog>();
  /** Logs that the current flush still has to store. */
  #unsaved: WorkerLog[] = [];
  /** Number of blocks that the current flush has stored. */
  #savedBlocks = 0;
  readonly #listeners = new Map<string, Set<() => void>>();
  #waitingLength = 0;
  #flushDelay = FLUSH_DELAY.minMs;
  #cancelFlush: (() => void) | undefined;
  /** Message of the store's last error, until the next attempt. Undefined if the store is not failing. */
  #failure: string | undefined;
  #closed = false;

  /** @param onStored called with the size of new lines in bytes, once they are stored */
  constructor(
    store: LogStore,
    clock: Clock,
    limits: Partial<LogLimits> = {},
    onStored: (owner: LogOwner, bytes: number) => void = () => undefined,
  ) {
    this.#onStored = onStored;
    this.#store = store;
    this.#clock = clock;
    this.#pages = new LogPages(store);
    this.#retention = new LogRetention({
      ...{ store, clock, limits: { ...LOG_LIMITS, ...limits } },
      onDropped: (owner, line) => this.note(owner, line),
    });
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
    owner: LogOwner,
    source: LogSource,
    lines: string | readonly string[],
    at?: number,
    position?: () => string,
  ): void {
    if (this.#closed) return;
    const log = this.#logs.get(owner.workerId) ?? this.#open(owner, false);
    log.position = position ?? log.position;
    const before = log.buffer.length;
    const now = this.#clock.now();
    log.buffer.add(source, typeof lines === 'string' ? lines.split('\n') : lines, Math.min(at ?? now, now));
    this.#waiting.add(log);
    if (this.#failure !== undefined) {
      const { worker, all } = MAX_LENGTH_WHILE_FAILING;
      log.lost += log.buffer.shrinkTo(Math.min(worker, all / this.#waiting.size));
    }
    this.#waitingLength += log.buffer.length - before;
    if (this.#failure !== undefined) return;
    if (this.#waitingLength >= FLUSH_LENGTH) this.#saveNext();
    else this.#cancelFlush ??= this.#clock.after(this.#flushDelay, () => this.#saveNext());
  }

  /** Appends a system line to the log of a worker, which can have stopped. */
  note(owner: LogOwner, line: SystemLine): void {
    if (this.#closed) return;
    // The log of a stopped worker is opened only to add this line.
    if (!this.#logs.has(owner.workerId)) this.#open(owner, true);
    this.append(owner, 'system', writeSystemLine(line));
  }

  /** Stores the buffered lines of a worker, or of all workers, unless the store is failing. */
  flush(workerId?: string): void {
    if (this.#closed || this.#failure !== undefined) return;
    const log = workerId === undefined ? undefined : this.#logs.get(workerId);
    if (workerId === undefined) this.#saveAll();
    else if (log && this.#waiting.has(log)) this.#save([log]);
  }

  /** Stores the buffered lines, and ignores all further lines. */
  close(): void {
    this.#retention.close();
    this.#saveAll();
    this.#cancelFlush?.();
    this.#closed = true;
  }

  /** Returns the stored lines after a cursor. @returns undefined if there are none yet */
  pageAfter(query: LogQuery, cursor: string): LogPage | undefined {
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
    this.flush(query.workerId);
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
    if (!log) return;
    log.released = true;
    if (!this.#waiting.has(log)) this.#logs.delete(workerId);
  }

  #saveAll(): void {
    while (this.#waiting.size > 0 && this.#saveNext());
  }

  /** Stores the lines of some workers. Those of the others follow. Returns false if the store fails. */
  #saveNext(): boolean {
    if (this.#closed) return false;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#unsaved.length === 0) {
      this.#unsaved = [...this.#waiting];
      this.#savedBlocks = 0;
    }
    // The lines of some logs were stored for their readers in the meantime.
    const saves = this.#save(this.#unsaved.splice(0, LOGS_PER_TRANSACTION).filter((log) => this.#waiting.has(log)));
    if (!saves) this.#unsaved = [];
    const { minMs, maxMs, msPerBlock } = FLUSH_DELAY;
    this.#flushDelay = Math.min(Math.max(minMs, this.#savedBlocks * msPerBlock), maxMs);
    if (this.#waiting.size > 0) {
      const delay = this.#unsaved.length > 0 ? TRANSACTION_PAUSE_MS : this.#flushDelay;
      this.#cancelFlush ??= this.#clock.after(saves ? delay : RETRY_MS, () => this.#saveNext());
    }
    return saves;
  }

  /** Stores the lines of workers in one transaction, and then reports them. Returns false if the store fails. */
  #save(logs: readonly WorkerLog[]): boolean {
    if (logs.length === 0) return true;
    const batch = logs.map(({ owner, buffer, position }) => ({
      ...{ ...owner, blocks: buffer.blocks },
      position: position?.(),
    }));
    let sizes: readonly number[];
    try {
      sizes = this.#store.append(batch);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      return false;
    }
    const reason = this.#failure ?? '';
    this.#failure = undefined;
    for (const [index, log] of logs.entries()) {
      this.#savedBlocks += batch[index]?.blocks.length ?? 0;
      this.#onStored(log.owner, sizes[index] ?? 0);
      this.#waitingLength -= log.buffer.length;
      this.#waiting.delete(log);
      log.buffer.clear();
    }
    for (const log of logs) this.#saved(log, reason);
    this.#enforceLimits(logs.map(({ owner }) => owner));
    return true;
  }

  #saved(log: WorkerLog, reason: string): void {
    const { workerId } = log.owner;
    const { lost } = log;
    log.lost = 0;
    if (lost > 0) this.append(log.owner, 'system', writeSystemLine({ kind: 'linesLost', count: lost, reason }));
    if (log.released && !this.#waiting.has(log)) this.#logs.delete(workerId);
    for (const listener of this.#listeners.get(workerId) ?? []) listener();
  }

  /** A failure of the store is left to the next batch, which then fails too. */
  #enforceLimits(owners: readonly LogOwner[]): void {
    try {
      this.#retention.enforce(owners);
    } catch {
      // The limits are enforced again after the next batch.
    }
  }

  #open(owner: LogOwner, released: boolean): WorkerLog {
    const buffer = new LogBuffer(this.#store.newest(owner.workerId) ?? '');
    const log = { owner, buffer, position: undefined, lost: 0, released };
    this.#logs.set(owner.workerId, log);
    return log;
  }
}
