import { StringDecoder } from 'node:string_decoder';

/** Maximum length of a line in UTF-16 units. Longer lines are split. */
export const MAX_LINE_LENGTH = 1_048_576;

/**
 * Splits a byte stream into lines, and reports the lines of each chunk together. UTF-8 characters that span two chunks stay whole, and
 * invalid bytes become U+FFFD. Both `\n` and `\r\n` end a line. Lines contain no `\n`.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLines: (lines: readonly string[]) => void;
  #rest = '';

  /** @param rest start of the first line, as `rest` returned it */
  constructor(onLines: (lines: readonly string[]) => void, rest = '') {
    this.#onLines = onLines;
    this.#rest = rest;
  }

  /** Start of a line that has not ended. */
  get rest(): string {
    return this.#rest;
  }

  write(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    // The rest of earlier chunks contains no line break, so it is neither searched nor copied again.
    const lines = text.split('\n');
    lines[0] = this.#rest + (lines[0] ?? '');
    this.#rest = lines.pop() ?? '';
    const whole = lines.some(needsProcessing) ? lines.flatMap((line) => pieces(withoutReturn(line))) : lines;
    if (this.#rest.length > MAX_LINE_LENGTH) {
      const parts = pieces(this.#rest);
      this.#rest = parts.pop() ?? '';
      whole.push(...parts);
    }
    if (whole.length > 0) this.#onLines(whole);
  }

  /** Ends the stream, and reports the rest as the last line. */
  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (rest !== '') this.#onLines(pieces(withoutReturn(rest)));
  }
}

function needsProcessing(line: string): boolean {
  return line.length > MAX_LINE_LENGTH || line.endsWith('\r');
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Splits a line into pieces of at most the maximum length, between characters. */
function pieces(line: string): string[] {
  const found: string[] = [];
  let from = 0;
  while (line.length - from > MAX_LINE_LENGTH) {
    const to = from + MAX_LINE_LENGTH;
    const end = isHighSurrogate(line.charCodeAt(to - 1)) ? to - 1 : to;
    found.push(line.slice(from, end));
    from = end;
  }
  found.push(line.slice(from));
  return found;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
