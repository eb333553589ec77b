/** Finds the lines of offsets. Lines are numbered from 0, and end with `\n`, `\r\n`, or `\r`. */
export class LineStarts {
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map(({ index, 0: { length } }) => index + length)];
  }

  /** Returns the line that contains an offset. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
