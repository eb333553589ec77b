import { StringDecoder } from 'node:string_decoder';

/** Longest line kept whole, in characters; a longer one is cut into several. */
export const MAX_LINE_LENGTH = 1_048_576;

/** Cuts a byte stream into lines. A UTF-8 character that is split over two chunks stays whole; `\r\n` ends a line as `\n` does. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Uint8Array): void {
    this.#take(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** The stream has ended: what is left is the last line. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#rest !== '') this.#emit(this.#rest);
    this.#rest = '';
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#emit(part);
    while (this.#rest.length > MAX_LINE_LENGTH) {
      this.#emit(this.#rest.slice(0, MAX_LINE_LENGTH));
      this.#rest = this.#rest.slice(MAX_LINE_LENGTH);
    }
  }

  #emit(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    for (let at = 0; at === 0 || at < text.length; at += MAX_LINE_LENGTH) {
      this.#onLine(text.slice(at, at + MAX_LINE_LENGTH));
    }
  }
}
