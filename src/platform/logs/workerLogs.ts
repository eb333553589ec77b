import type { LogSource } from '../../contract/workerLogs.ts';
import type { Clock } from '../clock.ts';
import type { LogLine, LogQuery, Store } from '../store/store.ts';
import { TimestampSequence } from './timestamp.ts';

/** Lines kept per worker; the oldest go first. */
export const LINES_PER_WORKER = 100_000;
/** Lines are trimmed each time that many have been added, so that the count need not be known for each. */
const TRIM_EVERY = 10_000;
const FLUSH_DELAY_MS = 25;
const FLUSH_AT_LINES = 2_000;

type Listener = (line: LogLine) => void;

interface WorkerLog {
  readonly sequence: TimestampSequence;
  readonly listeners: Set<Listener>;
  pending: LogLine[];
  sinceTrim: number;
}

/** The log lines of every worker: stored in small batches, and told to whoever listens as they come. */
export class WorkerLogs {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logs = new Map<string, WorkerLog>();
  #cancelFlush: (() => void) | undefined;
  #pendingLines = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  append(workerId: string, source: LogSource, line: string): void {
    const log = this.#log(workerId);
    const entry: LogLine = { ts: log.sequence.next(this.#clock.now()), source, line };
    log.pending.push(entry);
    for (const listener of log.listeners) listener(entry);
    if (++this.#pendingLines >= FLUSH_AT_LINES) this.flush();
    else this.#cancelFlush ??= this.#clock.after(FLUSH_DELAY_MS, () => this.flush());
  }

  /** Stores what has not been stored yet. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#pendingLines = 0;
    for (const [workerId, log] of this.#logs) {
      if (log.pending.length === 0) continue;
      const lines = log.pending;
      log.pending = [];
      this.#store.appendLogLines(workerId, lines);
      log.sinceTrim += lines.length;
      if (log.sinceTrim < TRIM_EVERY) continue;
      log.sinceTrim = 0;
      this.#store.trimLogLines(workerId, LINES_PER_WORKER);
    }
  }

  /** The last lines, in order. */
  last(workerId: string, query: LogQuery): LogLine[] {
    this.flush();
    return this.#store.lastLogLines(workerId, query);
  }

  /** The lines after a timestamp, in order. */
  after(workerId: string, ts: string, query: LogQuery): LogLine[] {
    this.flush();
    return this.#store.logLinesAfter(workerId, ts, query);
  }

  /** Timestamp of the newest line, '' when there is none. */
  newest(workerId: string): string {
    this.flush();
    return this.#store.newestLogTs(workerId) ?? '';
  }

  /** Tells every line from now on. Returns what ends it. */
  listen(workerId: string, listener: Listener): () => void {
    const { listeners } = this.#log(workerId);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** The worker is gone for good: forgets what is held for it in memory, unless somebody still listens. */
  release(workerId: string): void {
    this.flush();
    if (this.#logs.get(workerId)?.listeners.size === 0) this.#logs.delete(workerId);
  }

  #log(workerId: string): WorkerLog {
    let log = this.#logs.get(workerId);
    if (!log) {
      const sequence = new TimestampSequence(this.#store.newestLogTs(workerId) ?? '');
      log = { sequence, listeners: new Set(), pending: [], sinceTrim: 0 };
      this.#logs.set(workerId, log);
    }
    return log;
  }
}
