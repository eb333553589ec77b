/** Text of a record, which can have several lines, without its line break. The text is undefined if the record is too long. */
export interface CsvRecord {
  /** Number of the first line. */
  readonly line: number;
  readonly text: string | undefined;
  /** Number of cells. */
  readonly cells: number;
  /** Whether the file ends within quotes. */
  readonly isOpen: boolean;
}

const [QUOTE, NEWLINE] = [0x22, 0x0a];

/**
 * Splits CSV into records. A quote opens a cell only at its start, so that an error in one record does not affect the next one. Holds at
 * most one record of `maxBytes` bytes in memory.
 */
export async function* csvRecordsOf(
  bytes: AsyncIterable<Uint8Array>,
  { delimiter, maxBytes }: { readonly delimiter: string; readonly maxBytes: number },
): AsyncGenerator<CsvRecord, void> {
  const separator = delimiter.charCodeAt(0);
  const decoder = new TextDecoder('utf-8');
  let pieces: Uint8Array[] = [];
  let length = 0;
  let cells = 1;
  let [line, lines] = [1, 0];
  let [isQuoted, isCellStart] = [false, true];
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const end = (): CsvRecord => {
    const text = length > maxBytes ? undefined : decoder.decode(Buffer.concat(pieces)).replace(/\r$/, '');
    const record = { line, text, cells, isOpen: isQuoted };
    [pieces, length, cells, line] = [[], 0, 1, lines + 1];
    [isQuoted, isCellStart] = [false, true];
    return record;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === NEWLINE) {
        lines++;
        if (isQuoted) continue;
        add(chunk.subarray(start, at));
        start = at + 1;
        yield end();
        // A doubled quote closes and opens the cell again.
      } else if (byte === QUOTE) isQuoted = isQuoted ? false : isCellStart || followsQuote(chunk, at, pieces);
      else if ((isCellStart = byte === separator && !isQuoted)) cells++;
      if (byte === QUOTE) isCellStart = false;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) {
    lines++;
    yield end();
  }
}

/** Returns whether the previous byte of the record is a quote. */
function followsQuote(chunk: Uint8Array, at: number, pieces: readonly Uint8Array[]): boolean {
  return (at > 0 ? chunk[at - 1] : pieces.at(-1)?.at(-1)) === QUOTE;
}
