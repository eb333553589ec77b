import { MAX_RUN_BYTES } from '../../../../contract/job.ts';
import { broken, MAX_COLUMNS, rowOf, SourceError, type SourceRow } from './sourceRow.ts';

const DELIMITERS = [',', ';', '\t'] as const;

/** Returns the delimiter that occurs most often in the first record, outside of quotes. */
export function delimiterOf(start: string): string {
  const counts = new Map<string, number>();
  let isQuoted = false;
  for (const character of start) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) break;
    else if (!isQuoted) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return DELIMITERS.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best));
}

/** Returns the value of a cell: JSON if the whole cell is JSON, otherwise text. A number that would lose digits stays text. */
export function cellValue(cell: string): unknown {
  if (!/^[[{"\-0-9tfn]/.test(cell) || /\s$/.test(cell)) return cell;
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    return cell;
  }
  if (typeof value !== 'number') return value;
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isExact ? value : cell;
}

/** Replacement character, which decoders write in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

type Cell = readonly [text: string, isQuoted: boolean];

/**
 * Reads CSV. The header row names the members of the input. An empty cell without quotes omits its member.
 *
 * @throws SourceError if the header is unusable or the file is UTF-16
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow, void> {
  const { parse } = await import('csv-parse/sync');
  const [delimiter, all] = await detectDelimiter(bytes);
  const cellsOf = (text: string): readonly Cell[] => {
    const cast = (cell: string, { quoting }: { quoting: boolean }) => [cell, quoting] as unknown as string;
    const [cells = []] = parse(text, { delimiter, cast, relax_column_count: true }) as unknown as Cell[][];
    return cells;
  };
  let header: readonly string[] | undefined;
  for await (const { line, text, cells: found, isOpen } of csvRecordsOf(all, {
    delimiter,
    maxBytes: 2 * MAX_RUN_BYTES,
  })) {
    if (text === undefined) {
      yield broken(line, { code: 'tooLarge' });
      continue;
    }
    if (text.trim() === '') continue;
    if (found > MAX_COLUMNS) {
      if (!header) throw new SourceError('tooManyColumns');
      yield broken(line, { code: 'columns', expected: header.length, found });
      continue;
    }
    let cells: readonly Cell[];
    try {
      cells = cellsOf(text);
    } catch {
      if (!header) throw new SourceError('quotes');
      yield broken(line, { code: isOpen ? 'openQuote' : 'quotes' });
      continue;
    }
    if (!header) header = checkedHeader(cells.map(([name]) => name));
    else if (cells.length !== header.length)
      yield broken(line, { code: 'columns', expected: header.length, found: cells.length });
    else if (cells.some(([cell]) => cell.includes(REPLACEMENT))) yield broken(line, { code: 'notUtf8' });
    else yield rowOf(line, { input: inputOf(header, cells) });
  }
  if (!header) throw new SourceError('empty');
}

function inputOf(header: readonly string[], record: readonly Cell[]): Record<string, unknown> {
  return Object.fromEntries(
    record.flatMap(([text, isQuoted], index) => {
      if (text === '' && !isQuoted) return [];
      return [[header[index] ?? '', cellValue(text)] as const];
    }),
  );
}

function checkedHeader(names: readonly string[]): readonly string[] {
  if (names.some((name) => name.trim() === '')) throw new SourceError('emptyHeader');
  const known = new Set<string>();
  for (const name of names) {
    if (known.has(name)) throw new SourceError('duplicateHeader', name);
    known.add(name);
  }
  return names;
}

/** Maximum number of bytes that are searched for the delimiter. */
const SEARCHED_BYTES = 65_536;

/** Returns the delimiter, and all bytes again. @throws SourceError for UTF-16 */
async function detectDelimiter(
  bytes: AsyncIterable<Uint8Array>,
): Promise<readonly [string, AsyncIterable<Uint8Array>]> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let size = 0; size < SEARCHED_BYTES;) {
    const result = await iterator.next();
    if (result.done === true) break;
    first.push(result.value);
    size += result.value.length;
  }
  const start = Buffer.concat(first).subarray(0, SEARCHED_BYTES);
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff))
    throw new SourceError('utf16');
  const rest = { [Symbol.asyncIterator]: () => iterator };
  return [
    delimiterOf(start.toString('utf8')),
    (async function* () {
      const joined = Buffer.concat(first);
      yield joined.subarray(joined[0] === 0xef && joined[1] === 0xbb && joined[2] === 0xbf ? 3 : 0);
      yield* rest;
    })(),
  ];
}

/** Text of a record, which can have several lines, without its line break. The text is undefined if the record is too long. */
interface CsvRecord {
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
async function* csvRecordsOf(
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
