import * as l10n from '@vscode/l10n';
import type { LogEntry, ReadableLog } from '../../archive/readableLog.ts';
import { blockOf, endOfBlock } from './countLines.ts';

/** A line index for each log. */
export type Lines = readonly number[];

/** A line of one of several logs. */
export interface MergedLine {
  /** Index of the log. */
  readonly log: number;
  /** Index of the line in its log. */
  readonly line: number;
  readonly entry: LogEntry;
}

/** The lines of a log have other indexes than before, because lines were inserted or removed at its beginning. */
export class LogRenumbered extends Error {
  constructor() {
    super(l10n.t('the log was renumbered while it was read'));
    this.name = 'LogRenumbered';
  }
}

/** Number of lines that are returned together. */
const BATCH_LINES = 256;

/**
 * Reads the lines of several logs from `from` (inclusive) to `to` (exclusive) in the order of their times. Lines with the same time are in
 * the order of the logs. Holds at most one block of each log in memory, and only of logs that have reached their first line.
 *
 * @throws LogRenumbered if a log changes its numbering
 */
export async function* mergedLines(
  logs: readonly ReadableLog[],
  from: Lines,
  to: Lines,
): AsyncGenerator<readonly MergedLine[], void> {
  let open = logs
    .map((log, index) => new LogCursor(log, index, from[index] ?? 0, to[index] ?? 0))
    .filter(({ isAtEnd }) => !isAtEnd);
  let batch: MergedLine[] = [];
  while (open.length > 0) {
    const [first, second] = firstTwo(open);
    if (!first) break;
    if (!first.isLoaded()) {
      await first.load();
      continue;
    }
    do batch.push(first.take());
    while (first.isLoaded() && batch.length < BATCH_LINES && (!second || comesBefore(first, second)));
    if (first.isAtEnd) open = open.filter((cursor) => cursor !== first);
    if (batch.length < BATCH_LINES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Place in a log that is read block by block. */
class LogCursor {
  readonly index: number;
  readonly #log: ReadableLog;
  readonly #generation: number;
  readonly #end: number;
  #next: number;
  #loaded: readonly LogEntry[] = [];
  /** Index of the next line in `#loaded`. */
  #taken = 0;
  /** Time of the next line, or an earlier time if the line is not loaded. */
  at: number;

  constructor(log: ReadableLog, index: number, from: number, to: number) {
    this.#log = log;
    this.index = index;
    this.#generation = log.generation;
    this.#next = from;
    this.#end = to;
    this.at = this.#startOfBlock();
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#end;
  }

  isLoaded(): boolean {
    return this.#taken < this.#loaded.length;
  }

  /** Reads the rest of the next line's block. */
  async load(): Promise<void> {
    const log = this.#log;
    const end = Math.min(this.#end, endOfBlock(log, blockOf(log.blocks, this.#next)));
    const lines = await log.read(this.#next, end);
    if (log.generation !== this.#generation || lines.length !== end - this.#next) throw new LogRenumbered();
    this.#loaded = lines;
    this.#taken = 0;
    this.#updateTime();
  }

  take(): MergedLine {
    const entry = this.#loaded[this.#taken];
    if (!entry) throw new Error(l10n.t('no line is loaded'));
    const taken = { log: this.index, line: this.#next, entry };
    this.#taken++;
    this.#next++;
    this.#updateTime();
    return taken;
  }

  #updateTime(): void {
    this.at = this.#loaded[this.#taken]?.at ?? this.#startOfBlock();
  }

  #startOfBlock(): number {
    const { blocks } = this.#log;
    return blocks[blockOf(blocks, this.#next)]?.at ?? Number.NEGATIVE_INFINITY;
  }
}

function comesBefore(one: LogCursor, other: LogCursor): boolean {
  return one.at < other.at || (one.at === other.at && one.index < other.index);
}

function firstTwo(cursors: readonly LogCursor[]): [LogCursor | undefined, LogCursor | undefined] {
  let [first, second]: [LogCursor | undefined, LogCursor | undefined] = [undefined, undefined];
  for (const cursor of cursors) {
    if (!first || comesBefore(cursor, first)) [first, second] = [cursor, first];
    else if (!second || comesBefore(cursor, second)) second = cursor;
  }
  return [first, second];
}
