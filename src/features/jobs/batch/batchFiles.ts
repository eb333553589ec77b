import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { MAX_RUN_BYTES, type JobRequest } from '../../../contract/job.ts';
import { linesOf, utf8Text } from './model/lines.ts';
import type { RowReference } from './model/sourceRow.ts';

/* Files in the folder of a batch: its rows and its results. `journal.ts` has the journal. */

/** A row as it is copied from the source. Rows have numbers from 1. */
export interface CopiedRow {
  readonly number: number;
  readonly reference: RowReference;
  /** Undefined if the copy is damaged. */
  readonly body: JobRequest | undefined;
}

const rowsFile = (folder: string): string => path.join(folder, 'rows.jsonl');
export const resultsFile = (folder: string): string => path.join(folder, 'results.jsonl');

/** Size of a write, in UTF-16 code units. */
const WRITE_LENGTH = 1_048_576;

/** Writes the rows of a batch. */
export class RowWriter {
  readonly #file: FileHandle;
  #texts: string[] = [];
  #length = 0;
  #number = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(folder: string): Promise<RowWriter> {
    return new RowWriter(await open(rowsFile(folder), 'wx', 0o600));
  }

  async add({ reference, body }: Pick<CopiedRow, 'reference' | 'body'>): Promise<void> {
    const text = `${JSON.stringify([reference, body, ++this.#number])}\n`;
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= WRITE_LENGTH) await this.#flush();
  }

  /** Resolves once all rows are on disk. */
  async close(): Promise<void> {
    try {
      await this.#flush();
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }

  async #flush(): Promise<void> {
    const texts = this.#texts;
    [this.#texts, this.#length] = [[], 0];
    await this.#file.appendFile(texts.join(''));
  }
}

/**
 * Reads the rows of a batch as a stream. Only rows that are wanted are parsed.
 *
 * @param rows number of rows. Rows that the file lacks are damaged
 */
export async function* readRows(
  folder: string,
  rows: number,
  isWanted: (number: number) => boolean = () => true,
): AsyncGenerator<CopiedRow, void> {
  let last = 0;
  // A line has the reference and the number in addition to the body.
  for await (const { number, bytes } of linesOf(createReadStream(rowsFile(folder)), MAX_RUN_BYTES + 4_096)) {
    if (number > rows) return;
    last = number;
    if (isWanted(number)) yield copiedRow(number, bytes && utf8Text(bytes));
  }
  while (++last <= rows) if (isWanted(last)) yield copiedRow(last);
}

/** A line with another number is a different row, because a line break before it is damaged. */
function copiedRow(number: number, text = ''): CopiedRow {
  try {
    const [reference, body, written] = JSON.parse(text) as [RowReference, JobRequest, number];
    if (written === number) return { number, reference, body };
  } catch {
    // The line is damaged.
  }
  return { number, reference: number, body: undefined };
}

/** A file of a batch, to which text is appended. Concurrent calls share one fsync. */
export class AppendedFile {
  readonly #handle: FileHandle;
  #size: number;
  #texts: string[] = [];
  #round: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens a file, or creates it for its user only. @param length content after this many bytes is removed. Default: all content stays */
  static async open(path: string, length?: number): Promise<AppendedFile> {
    const handle = await open(path, 'a', 0o600);
    try {
      if (length !== undefined) await handle.truncate(length);
      return new AppendedFile(handle, (await handle.stat()).size);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Position of the next text, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Resolves once the text is on disk. Texts are written in the order of the calls. */
  append(text: string): Promise<void> {
    this.#texts.push(text);
    this.#size += Buffer.byteLength(text);
    return (this.#round ??= this.#write());
  }

  /** Resolves once all earlier texts are written. */
  async close(): Promise<void> {
    await this.#round?.catch(() => undefined);
    await this.#writing.catch(() => undefined);
    await this.#handle.close();
  }

  async #write(): Promise<void> {
    // The next round starts once the disk has the previous one, with all texts of the meantime.
    await this.#writing;
    const texts = this.#texts;
    [this.#texts, this.#round] = [[], undefined];
    this.#writing = this.#handle.appendFile(texts.join('')).then(() => this.#handle.datasync());
    await this.#writing;
  }
}
