/*
 * The bytes of a log stream on their way to the parser of events. A line of the stream that exceeds the limit is cut, because the parser
 * would otherwise end the stream. The reader of the events can delay the next chunk.
 */

/** Number of bytes of a cut line that are kept at its end. They contain the fields after the text. */
const TAIL_BYTES = 1024;
/** Bytes that are held back until it is known whether the line is cut. A cut must not divide an escape sequence or a character. */
const HELD_BYTES = 16;

/** Maximum length of a line that is cut, in bytes. A longer one probably never ends, so it is passed on, and the parser ends the stream. */
const LONGEST_CUT = 128 * 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

const LINE_FEED = 0x0a;
/** A line that begins with a colon is a comment, which services send as a sign of life. */
const COLON = 0x3a;
const BACKSLASH = 0x5c;

export interface LogStreamBodyOptions {
  /** Maximum length of a line of the stream, in bytes. */
  readonly longestLine: number;
  /** Called before each chunk is passed on. The chunk waits for the result. */
  readonly beforeChunk?: ((isComment: boolean) => Promise<void> | undefined) | undefined;
}

/** Returns the body with cut lines and delayed chunks. Canceling the result cancels the body. */
export function logStreamBody(
  body: ReadableStream<Bytes>,
  { longestLine, beforeChunk }: LogStreamBodyOptions,
): ReadableStream<Bytes> {
  const cutter = new LineCutter(longestLine);
  let isAtLineStart = true;
  return body.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      transform: async (chunk, controller) => {
        const delay = beforeChunk?.(isAtLineStart && chunk[0] === COLON);
        isAtLineStart = chunk.at(-1) === LINE_FEED;
        if (delay) await delay;
        for (const part of cutter.take(chunk)) controller.enqueue(part);
      },
    }),
  );
}

/**
 * Cuts the middle out of long lines of JSON, so that the JSON stays valid if the line is one long string with short fields around it. That
 * is the form of a log event.
 */
class LineCutter {
  /** Number of bytes of a line that are passed on at once. The bytes after them are held until the line ends. */
  readonly #direct: number;
  /** Length of the current line so far, in bytes. */
  #length = 0;
  /** The bytes of the current line that were not passed on. `bytes` counts those after `held`, of which `tail` has the newest. */
  #rest: { held: Buffer; bytes: number; tail: Buffer } | undefined;

  constructor(longest: number) {
    this.#direct = longest - HELD_BYTES;
  }

  /** Returns the parts of a chunk to pass on. */
  take(chunk: Bytes): Bytes[] {
    if (!this.#rest && this.#length + chunk.length <= this.#direct) {
      const last = chunk.lastIndexOf(LINE_FEED);
      this.#length = last < 0 ? this.#length + chunk.length : chunk.length - last - 1;
      return [chunk];
    }
    const parts: Bytes[] = [];
    for (let at = 0; at < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, at);
      const end = feed < 0 ? chunk.length : feed;
      parts.push(...this.#takePiece(chunk.subarray(at, end)));
      if (feed >= 0) parts.push(...this.#endLine(), Uint8Array.of(LINE_FEED));
      at = end + 1;
    }
    return parts;
  }

  /** Takes a part of the current line and returns the bytes to pass on. */
  #takePiece(piece: Bytes): Bytes[] {
    const room = Math.max(0, this.#direct - this.#length);
    this.#length += piece.length;
    if (this.#length > LONGEST_CUT) return [piece];
    if (piece.length > room) this.#hold(piece.subarray(room));
    return [piece.subarray(0, room)];
  }

  #hold(bytes: Bytes): void {
    const rest = (this.#rest ??= { held: Buffer.alloc(0), bytes: 0, tail: Buffer.alloc(0) });
    const room = HELD_BYTES - rest.held.length;
    rest.held = Buffer.concat([rest.held, bytes.subarray(0, room)]);
    const more = bytes.subarray(room);
    rest.bytes += more.length;
    rest.tail = Buffer.concat([rest.tail, more.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  }

  #endLine(): Bytes[] {
    this.#length = 0;
    if (!this.#rest) return [];
    const { held, tail, bytes } = this.#rest;
    this.#rest = undefined;
    if (bytes === 0) return [Uint8Array.from(held)];
    const kept = tail.subarray(startOfWord(tail));
    return [
      Uint8Array.from(beforeEscape(held)),
      Uint8Array.from(Buffer.from(`… [cut: ${bytes - kept.length} bytes] `)),
      Uint8Array.from(kept),
    ];
  }
}

/** Returns the bytes up to the first one that could belong to an unfinished escape sequence or character. */
function beforeEscape(bytes: Buffer): Buffer {
  const at = bytes.findIndex((byte) => byte === BACKSLASH || byte >= 0x80);
  return at < 0 ? bytes : bytes.subarray(0, at);
}

/** Returns the first position within the text of a string: a letter or digit after a byte that is not a backslash. */
function startOfWord(bytes: Buffer): number {
  const at = bytes.findIndex((byte, index) => index > 0 && isWord(byte) && bytes[index - 1] !== BACKSLASH);
  return at < 0 ? bytes.length : at;
}

function isWord(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
