import type { LogEvent } from '../../../../src/contract/workerLogs.ts';
import {
  BLOCK_LINES,
  type LogBlock,
  type LogEntry,
  type ReadableLog,
} from '../../../../src/features/logs/archive/readableLog.ts';
import type { LoggedWorker } from '../../../../src/features/logs/model/logSubject.ts';

/** Time of the first line in most tests: a Sunday, at 10:42:05 UTC. */
export const START = Date.UTC(2026, 10, 22, 10, 42, 5);

export function workerOf(workerId: string): LoggedWorker {
  return { connectionId: 'local', endpointId: 'e1', endpointName: 'hello', workerId };
}

/** Creates a line of a worker's program. @param at ms since the epoch */
export function entry(line: string, at: number, source: LogEvent['source'] = 'container'): LogEntry {
  return { event: { source, line, ts: new Date(at).toISOString() }, at };
}

/** Creates a line that the worker SDK wrote. */
export function sdkEntry(requestId: string, message: string, at: number): LogEntry {
  return entry(JSON.stringify({ requestId, message, level: 'INFO' }), at);
}

/** Creates a line of the host. */
export function systemEntry(line: string, at: number): LogEntry {
  return entry(line, at, 'system');
}

/** Creates lines of which each is a second after the one before. */
export function secondsApart(lines: readonly string[], start = START): LogEntry[] {
  return lines.map((line, index) => entry(line, start + index * 1000));
}

/** A log in memory. Like a real log, it gives each line at least the time of the line before it. */
export class MemoryLog implements ReadableLog {
  readonly worker: LoggedWorker;
  removed = 0;
  isComplete = true;
  generation = 0;
  /** Called before each read, which waits for the result. */
  beforeRead: () => unknown = () => undefined;
  /** Ranges of the lines that were read. */
  readonly reads: (readonly [from: number, to: number])[] = [];
  #entries: LogEntry[] = [];
  #blocks: LogBlock[] = [];

  constructor(workerId: string, entries: readonly LogEntry[] = []) {
    this.worker = workerOf(workerId);
    this.append(...entries);
  }

  get count(): number {
    return this.#entries.length;
  }

  get blocks(): readonly LogBlock[] {
    return this.#blocks;
  }

  append(...entries: readonly LogEntry[]): void {
    for (const { event, at } of entries) {
      const first = this.#entries.length;
      const time = Math.max(at, this.#entries.at(-1)?.at ?? 0);
      if (first % BLOCK_LINES === 0) this.#blocks.push({ first, at: time });
      this.#entries.push({ event, at: time });
    }
  }

  /** Inserts lines at the beginning. */
  prepend(...entries: readonly LogEntry[]): void {
    this.#replace([...entries, ...this.#entries]);
  }

  /** Removes lines at the beginning, as at a limit of the size. */
  removeFirst(count: number): void {
    this.removed += count;
    this.#replace(this.#entries.slice(count));
  }

  async read(from: number, to: number): Promise<readonly LogEntry[]> {
    this.reads.push([from, to]);
    await this.beforeRead();
    return this.#entries.slice(from, to);
  }

  #replace(entries: readonly LogEntry[]): void {
    this.generation++;
    this.#entries = [];
    this.#blocks = [];
    this.append(...entries);
  }
}

/** A log whose lines are created when they are read. It counts the blocks that were read. */
export class GeneratedLog implements ReadableLog {
  readonly worker: LoggedWorker;
  readonly count: number;
  readonly blocks: readonly LogBlock[];
  readonly removed = 0;
  readonly isComplete = true;
  readonly generation = 0;
  blocksRead = 0;
  readonly #entryAt: (line: number) => LogEntry;

  constructor(workerId: string, count: number, entryAt: (line: number) => LogEntry) {
    this.worker = workerOf(workerId);
    this.count = count;
    this.#entryAt = entryAt;
    this.blocks = Array.from({ length: Math.ceil(count / BLOCK_LINES) }, (_, block) => {
      const first = block * BLOCK_LINES;
      return { first, at: entryAt(first).at };
    });
  }

  read(from: number, to: number): Promise<readonly LogEntry[]> {
    this.blocksRead += Math.ceil(to / BLOCK_LINES) - Math.floor(from / BLOCK_LINES);
    return Promise.resolve(Array.from({ length: to - from }, (_, index) => this.#entryAt(from + index)));
  }
}
