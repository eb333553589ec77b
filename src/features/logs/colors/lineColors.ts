import type { LineSpan, LineColor } from '../model/lineText.ts';

/** Maximum number of remembered lines. */
const MAX_LINES = 100_000;
/** Maximum length of all remembered lines, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024 * 1024;

/**
 * Remembers the colors of the lines in documents. A document contains only text, so a line is found by its exact text. The lines that were
 * not used for the longest time are forgotten first.
 */
export class LineColors {
  readonly #spans = new Map<string, readonly LineSpan[]>();
  #length = 0;

  /**
   * Remembers the colors of a text that is about to be shown. Lines without colors are not stored.
   *
   * @param text one or more lines of the document
   * @param spans in order. No span contains a line break.
   */
  remember(text: string, spans: readonly LineSpan[]): void {
    let index = 0;
    let start = 0;
    while (index < spans.length && start < text.length) {
      const lineBreak = text.indexOf('\n', start);
      const end = lineBreak < 0 ? text.length : lineBreak;
      const first = index;
      while (index < spans.length && (spans[index]?.start ?? end) < end) index++;
      if (index > first) this.#add(text.slice(start, end), spans.slice(first, index), start);
      start = end + 1;
    }
  }

  /** Returns the colors of a line of a document, in order. The offsets begin with the line. */
  spansOf(line: string): readonly LineSpan[] {
    const spans = this.#spans.get(line);
    if (!spans) return [];
    this.#spans.delete(line);
    this.#spans.set(line, spans);
    return spans;
  }

  #add(line: string, spans: readonly LineSpan[], start: number): void {
    this.#remove(line);
    this.#spans.set(
      line,
      start === 0 ? spans : spans.map((span) => ({ ...span, start: span.start - start, end: span.end - start })),
    );
    this.#length += line.length;
    for (const oldest of this.#spans.keys()) {
      if (this.#spans.size <= MAX_LINES && this.#length <= MAX_LENGTH) break;
      this.#remove(oldest);
    }
  }

  #remove(line: string): void {
    if (this.#spans.delete(line)) this.#length -= line.length;
  }
}

/** Token types by color. package.json describes them, and maps them to the colors of themes. */
export const TOKEN_TYPES: Readonly<Record<LineColor, string>> = {
  red: 'ansiRed',
  green: 'ansiGreen',
  yellow: 'ansiYellow',
  blue: 'ansiBlue',
  magenta: 'ansiMagenta',
  cyan: 'ansiCyan',
  gray: 'ansiGray',
  tag1: 'workerTag1',
  tag2: 'workerTag2',
  tag3: 'workerTag3',
  tag4: 'workerTag4',
  tag5: 'workerTag5',
  tag6: 'workerTag6',
};
