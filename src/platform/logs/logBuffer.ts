import type { LogSource } from '../../contract/workerLogs.ts';
import type { LogBlock } from '../store/logStore.ts';
import { TimestampSequence } from './timestamp.ts';

/** Maximum number of lines in a block, and maximum length in UTF-16 units. A longer line has a block of its own. */
const BLOCK_LINES = 512;
const BLOCK_LENGTH = 65_536;

interface OpenBlock extends LogBlock {
  lastTs: string;
  readonly lines: string[];
  length: number;
}

/** The newest lines of one worker, in blocks that are not stored yet. */
export class LogBuffer {
  /** Length of the buffered lines, in UTF-16 units. */
  length = 0;
  readonly #sequence: TimestampSequence;
  #blocks: OpenBlock[] = [];

  /** @param newest timestamp of the worker's newest line, or '' if there is none */
  constructor(newest: string) {
    this.#sequence = new TimestampSequence(newest);
  }

  get blocks(): readonly LogBlock[] {
    return this.#blocks;
  }

  /** @param now time of arrival, in ms since the epoch */
  add(source: LogSource, lines: readonly string[], now: number): void {
    for (let from = 0; from < lines.length;) {
      const part = partFrom(lines, from);
      from += part.lines.length;
      this.#add(source, part, now);
    }
  }

  clear(): void {
    this.#blocks = [];
    this.length = 0;
  }

  /** Drops the oldest lines until at most `length` remains. Returns the number of dropped lines. */
  shrinkTo(length: number): number {
    let lost = 0;
    while (this.length > length) {
      const oldest = this.#blocks.shift();
      if (!oldest) break;
      lost += oldest.lines.length;
      this.length -= oldest.length;
    }
    return lost;
  }

  #add(source: LogSource, part: Part, now: number): void {
    const { first, last, continues } = this.#sequence.take(now, part.lines.length);
    const open = this.#blocks.at(-1);
    this.length += part.length;
    if (continues && open?.source === source && fits(open, part)) {
      open.lines.push(...part.lines);
      open.lastTs = last;
      open.length += part.length;
    } else {
      this.#blocks.push({ source, firstTs: first, lastTs: last, lines: part.lines, length: part.length });
    }
  }
}

interface Part {
  readonly lines: string[];
  readonly length: number;
}

/** Returns the lines from an index on, as many as fit into one block. */
function partFrom(lines: readonly string[], from: number): Part {
  let to = from;
  let length = 0;
  for (; to < lines.length && to - from < BLOCK_LINES; to++) {
    const next = lengthOf(lines[to] ?? '');
    if (to > from && length + next > BLOCK_LENGTH) break;
    length += next;
  }
  return { lines: lines.slice(from, to), length };
}

function fits(block: OpenBlock, part: Part): boolean {
  return block.lines.length + part.lines.length <= BLOCK_LINES && block.length + part.length <= BLOCK_LENGTH;
}

/** Includes the line break, so that empty lines count too. */
function lengthOf(line: string): number {
  return line.length + 1;
}
