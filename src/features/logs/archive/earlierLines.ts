import type { ReceivedLine } from './storedLine.ts';

/** Number of consecutive stored lines that the stream must repeat to reach the stored part. */
export const COMPARED_LINES = 16;
/** Difference of timestamps in ms that the sources of a log can have, because some have whole seconds. */
const TOLERANCE_MS = 5_000;

/**
 * Finds the lines of a stream that come before the stored lines. The stream begins with the first line of the log. It has reached the stored
 * lines when it repeats the first of them.
 */
export class EarlierLines {
  readonly #stored: readonly ReceivedLine[];
  readonly #storedAt: number;
  /** Lines that equal the beginning of the stored lines. They are earlier lines if the next line differs. */
  #matched: ReceivedLine[] = [];
  #isDone = false;

  /** @param stored the first stored lines, at most `COMPARED_LINES` and at least one */
  constructor(stored: readonly ReceivedLine[]) {
    this.#stored = stored;
    this.#storedAt = timeOf(stored[0]);
  }

  /** Whether the stream has reached the stored lines. The lines after that are not earlier lines. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Returns the earlier lines that became known with the next line of the stream. */
  take(line: ReceivedLine): readonly ReceivedLine[] {
    if (this.#isDone) return [];
    this.#matched.push(line);
    const found: ReceivedLine[] = [];
    while (this.#matched.some((one, index) => !isSame(one, this.#stored[index]))) {
      const [first] = this.#matched.splice(0, 1);
      if (!first) break;
      // The platform no longer has the first stored line, so the stream would never repeat it.
      if (timeOf(first) > this.#storedAt + TOLERANCE_MS) {
        this.#isDone = true;
        return found;
      }
      found.push(first);
    }
    this.#isDone = this.#matched.length === this.#stored.length;
    return found;
  }
}

function isSame(one: ReceivedLine, other: ReceivedLine | undefined): boolean {
  return one.id === other?.id && one.data === other.data;
}

function timeOf(line: ReceivedLine | undefined): number {
  return line ? Date.parse(line.event.ts) : Number.NaN;
}
