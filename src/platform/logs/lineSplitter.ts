import { StringDecoder } from 'node:string_decoder';

/** Longest line kept whole, in UTF-16 units; a longer one is cut into several. */
export const MAX_LINE_LENGTH = 1_048_576;

/**
 * Cuts a byte stream into lines, and hands over those of each chunk together. A UTF-8 character that is split over two chunks stays
 * whole, bytes that are no UTF-8 become U+FFFD, and `\r\n` ends a line as `\n` does. Lines hold no `\n`.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLines: (lines: readonly string[]) => void;
  #rest = '';

  constructor(onLines: (lines: readonly string[]) => void) {
    this.#onLines = onLines;
  }

  write(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    // What is left of before holds no line break: it is neither searched nor copied again.
    const lines = text.split('\n');
    lines[0] = this.#rest + (lines[0] ?? '');
    this.#rest = lines.pop() ?? '';
    const whole = lines.some(needsCare) ? lines.flatMap((line) => pieces(withoutReturn(line))) : lines;
    if (this.#rest.length > MAX_LINE_LENGTH) {
      const parts = pieces(this.#rest);
      this.#rest = parts.pop() ?? '';
      whole.push(...parts);
    }
    if (whole.length > 0) this.#onLines(whole);
  }

  /** The stream has ended: what is left is the last line. */
  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (rest !== '') this.#onLines(pieces(withoutReturn(rest)));
  }
}

function needsCare(line: string): boolean {
  return line.length > MAX_LINE_LENGTH || line.endsWith('\r');
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The line cut so that no piece is too long and no character is cut in two. */
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
