/** A line without its line break. */
export interface Line {
  /** Number of the line, from 1. */
  readonly number: number;
  /** Position of the line, in bytes. */
  readonly at: number;
  /** Undefined if the line is too long. */
  readonly bytes: Buffer | undefined;
  /** Whether a line break follows. */
  readonly isComplete: boolean;
}

const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines. Holds at most one line of `maxBytes` bytes in memory. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, maxBytes = Infinity): AsyncGenerator<Line, void> {
  let pieces: Uint8Array[] = [];
  let [number, at, length] = [0, 0, 0];
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const end = (isComplete: boolean): Line => {
    const line = { number: ++number, at, bytes: length > maxBytes ? undefined : Buffer.concat(pieces), isComplete };
    [pieces, at, length] = [[], at + length + 1, 0];
    return line;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let next = chunk.indexOf(NEWLINE); next !== -1; next = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, next));
      start = next + 1;
      yield end(true);
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield end(false);
}

/** Returns UTF-8 text without a byte order mark. Undefined for other bytes. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
