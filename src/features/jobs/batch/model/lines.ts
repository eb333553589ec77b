/** A line without its line break. The text is undefined if the line is too long or is not UTF-8. */
export interface Line {
  readonly number: number;
  readonly text: string | undefined;
  readonly fault?: 'tooLong' | 'notUtf8';
}

const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines. Holds at most one line of `maxBytes` bytes in memory. A byte order mark is removed. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pieces: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const end = (): Line => {
    number++;
    const [content, isTooLong] = [Buffer.concat(pieces), length > maxBytes];
    [pieces, length] = [[], 0];
    if (isTooLong) return { number, text: undefined, fault: 'tooLong' };
    try {
      const text = decoder.decode(content);
      return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    } catch {
      return { number, text: undefined, fault: 'notUtf8' };
    }
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, at));
      start = at + 1;
      yield end();
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield end();
}
