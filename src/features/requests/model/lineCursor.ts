import type { Span } from '../../../text/span.ts';

export interface Line extends Span {
  readonly text: string;
  /** Offset of the next line. Equals the end of the text in the last line. */
  readonly next: number;
}

/** Reads a text line by line. Keeps one line at a time, because a text can have a million of them. */
export class LineCursor {
  readonly #text: string;
  readonly #lineBreak = /\r\n|\n|\r/g;
  #offset = 0;
  #current: Line | undefined;

  constructor(text: string) {
    this.#text = text;
    this.advance();
  }

  /** The current line. Undefined after the last one. */
  get line(): Line | undefined {
    return this.#current;
  }

  advance(): void {
    const start = this.#offset;
    if (start > this.#text.length) {
      this.#current = undefined;
      return;
    }
    this.#lineBreak.lastIndex = start;
    const found = this.#lineBreak.exec(this.#text);
    const end = found?.index ?? this.#text.length;
    const next = found ? end + found[0].length : end;
    this.#current = { start, end, next, text: this.#text.slice(start, end) };
    this.#offset = found ? next : this.#text.length + 1;
  }
}
