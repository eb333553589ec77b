import type { LogBlock, ReadableLog } from '../../archive/readableLog.ts';

/** Limits of a count. */
export interface CountOptions {
  /** Number of lines that are examined. Default: all. */
  readonly among?: number | undefined;
  /** Whether lines with exactly this time count too. */
  readonly inclusive: boolean;
}

/** Counts the lines before a time, in ms since the epoch. Reads at most one block. */
export async function countLinesBefore(log: ReadableLog, at: number, options: CountOptions): Promise<number> {
  const { inclusive, among = log.count } = options;
  const isBefore = (time: number) => (inclusive ? time <= at : time < at);
  const { blocks } = log;
  const reached = partition(blocks, (block) => block.first < among && isBefore(block.at));
  const block = blocks[reached - 1];
  if (!block) return 0;
  const lines = await log.read(block.first, Math.min(endOfBlock(log, reached - 1), among));
  return block.first + partition(lines, (entry) => isBefore(entry.at));
}

/** Returns the index of the block that contains a line. */
export function blockOf(blocks: readonly LogBlock[], line: number): number {
  return partition(blocks, ({ first }) => first <= line) - 1;
}

/** Returns the end of a block, exclusive. */
export function endOfBlock({ blocks, count }: Pick<ReadableLog, 'blocks' | 'count'>, block: number): number {
  return blocks[block + 1]?.first ?? count;
}

/** Returns the number of items at the beginning that satisfy a condition. No item after them satisfies it. */
function partition<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle] as Item;
    if (holds(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
