import { BLOCK_LINES, type LogBlock, type ReadableLog } from '../../archive/readableLog.ts';

/** The index of a log, which the plan needs. */
export type IndexedLog = Pick<ReadableLog, 'blocks' | 'count'>;

/** Position in the merged order of several logs: by time, then by the order of the logs, then by line. */
export interface MergedPosition {
  readonly at: number;
  /** Index of the log. */
  readonly log: number;
  /** Index of the line in its log. */
  readonly line: number;
}

/**
 * A boundary between two pages. It is at the start of a block. The position of the boundary in the other logs follows from `position`, and
 * is found when it is needed.
 */
export interface Cut {
  /** Log and first line of the block. */
  readonly log: number;
  readonly line: number;
  /** Boundary in the merged order. It differs from the block if the block arrived late, after lines with later times. */
  readonly position: MergedPosition;
  /**
   * Number of lines of each log at the time of the decision. Later lines are after the boundary, whatever their time. Logs that were added
   * later have no number.
   */
  readonly counts: readonly number[];
}

/** Target for the number of lines of a page. */
export const PAGE_LINES = 10_000;

/** A block that no page has taken yet. */
interface NewBlock extends MergedPosition {
  readonly block: number;
}

/**
 * Divides several logs into pages. It looks only at the indexes, so that it can plan the pages of millions of lines at once. A decision is
 * final: appended lines only add boundaries at the end.
 */
export class CutPlan {
  readonly #logs: IndexedLog[];
  readonly #pageLines: number;
  readonly #cuts: Cut[] = [];
  /** Number of blocks of each log that are planned. */
  readonly #planned: number[];
  /** Number of planned lines before the last cut. */
  #linesBefore = 0;
  #hasLateLines = false;

  /** @param pageLines target for the number of lines of a page */
  constructor(logs: readonly IndexedLog[], pageLines = PAGE_LINES) {
    this.#logs = [...logs];
    this.#pageLines = pageLines;
    this.#planned = logs.map(() => 0);
  }

  /** The boundaries between pages, oldest first. There is one page more than boundaries. */
  get cuts(): readonly Cut[] {
    return this.#cuts;
  }

  /** Whether lines arrived after lines of other logs with later times. A new plan would order them by time. */
  get hasLateLines(): boolean {
    return this.#hasLateLines;
  }

  /** Adds a log at the end of the order. Returns false if it has lines that belong to earlier pages. */
  add(log: IndexedLog): boolean {
    const [last, first] = [this.#cuts.at(-1), log.blocks[0]];
    if (last && first && first.at < last.position.at) return false;
    this.#logs.push(log);
    this.#planned.push(0);
    return true;
  }

  /** Takes the blocks that were added since the last call. */
  update(): void {
    const added = this.#logs.flatMap((log, index) => this.#addedBlocks(log, index));
    // The blocks of one log are in order already.
    if (this.#logs.length > 1) added.sort(inMergedOrder);
    for (const block of added) this.#take(block);
  }

  #addedBlocks({ blocks }: IndexedLog, log: number): NewBlock[] {
    const first = this.#planned[log] ?? 0;
    return blocks.slice(first).map((block, index) => ({ at: block.at, log, line: block.first, block: first + index }));
  }

  #take({ block, ...position }: NewBlock): void {
    const { log, line } = position;
    const lines = this.#plannedLines();
    const last = this.#cuts.at(-1)?.position;
    const isLate = last !== undefined && inMergedOrder(position, last) < 0;
    if (isLate) this.#hasLateLines = true;
    if (lines - this.#linesBefore >= this.#linesOfPage()) {
      this.#linesBefore = lines;
      const counts = this.#logs.map(({ count }) => count);
      this.#cuts.push({ log, line, position: isLate ? last : position, counts });
    }
    this.#planned[log] = block + 1;
  }

  /** A block of a quiet log can reach far into the next pages, so a page has more lines than one block of each other log. */
  #linesOfPage(): number {
    return Math.max(this.#pageLines, 2 * BLOCK_LINES * (this.#logs.length - 1));
  }

  #plannedLines(): number {
    return this.#logs.reduce((sum, { blocks, count }, log) => sum + endOf(blocks, this.#planned[log] ?? 0, count), 0);
  }
}

/** Returns the end of the first `planned` blocks. */
function endOf(blocks: readonly LogBlock[], planned: number, count: number): number {
  return planned === 0 ? 0 : (blocks[planned]?.first ?? count);
}

/** Compares two positions in the merged order. */
function inMergedOrder(one: MergedPosition, other: MergedPosition): number {
  return one.at - other.at || one.log - other.log || one.line - other.line;
}
