import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { MAX_RUN_BYTES, type JobRequest } from '../../../contract/job.ts';
import { linesOf } from './model/lines.ts';
import type { RowReference } from './model/sourceRow.ts';

/* Files in the folder of a batch: its rows and its results. `journal.ts` has the journal. */

/** Folders of all batches. */
export class BatchFiles {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  folderOf(id: string): string {
    return path.join(this.root, id);
  }
}

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
  for await (const { number, text } of linesOf(createReadStream(rowsFile(folder)), MAX_RUN_BYTES + 4_096)) {
    if (number > rows) return;
    last = number;
    if (isWanted(number)) yield copiedRow(number, text);
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
