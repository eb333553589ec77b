import { createReadStream } from 'node:fs';

/** A line of a file, without its line break. */
export interface ByteLine {
  readonly bytes: Buffer;
  /** Position of the line, in bytes. */
  readonly at: number;
  /** Whether a line break follows. */
  readonly isComplete: boolean;
}

const NEWLINE = 0x0a;

/** Reads the lines of a file with their exact positions, also if its text is damaged. A file that does not exist has none. */
export async function* byteLinesOf(file: string): AsyncGenerator<ByteLine, void> {
  let pieces: Buffer[] = [];
  let at = 0;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const bytes = Buffer.concat([...pieces, chunk.subarray(start, end)]);
        yield { bytes, at, isComplete: true };
        [pieces, at, start] = [[], at + bytes.length + 1, end + 1];
      }
      if (start < chunk.length) pieces.push(chunk.subarray(start));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (pieces.length > 0) yield { bytes: Buffer.concat(pieces), at, isComplete: false };
}
