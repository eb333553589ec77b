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
  readonly body: JobRequest;
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

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(folder: string): Promise<RowWriter> {
    return new RowWriter(await open(rowsFile(folder), 'wx', 0o600));
  }

  async add({ reference, body }: Pick<CopiedRow, 'reference' | 'body'>): Promise<void> {
    const text = `${JSON.stringify([reference, body])}\n`;
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

/** Reads the rows of a batch as a stream. Only rows that are wanted are parsed. */
export async function* readRows(
  folder: string,
  isWanted: (number: number) => boolean = () => true,
): AsyncGenerator<CopiedRow, void> {
  // A line has the reference in addition to the body.
  for await (const { number, text } of linesOf(createReadStream(rowsFile(folder)), MAX_RUN_BYTES + 4_096)) {
    if (text === undefined || !isWanted(number)) continue;
    const [reference, body] = JSON.parse(text) as [RowReference, JobRequest];
    yield { number, reference, body };
  }
}
