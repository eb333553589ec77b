import path from 'node:path';
import * as z from 'zod';
import { AppendedFile } from '../../../jobs/batch/appendedFile.ts';
import { byteLinesOf } from '../../../jobs/batch/byteLines.ts';

const Entry = z.tuple([z.string(), z.string()]);

/** Names of the files that a batch has written, by a key. They are in the folder of the batch. */
export class SavedFiles {
  readonly #names: Map<string, string>;
  readonly #journal: AppendedFile;

  private constructor(names: Map<string, string>, journal: AppendedFile) {
    this.#names = names;
    this.#journal = journal;
  }

  /** Reads the names. A last line whose write was interrupted is removed. Damaged lines are ignored and stay. */
  static async open(folder: string): Promise<SavedFiles> {
    const { names, length } = await readNames(folder);
    return new SavedFiles(names, await AppendedFile.open(fileIn(folder), length));
  }

  /** Returns the name for a key. The first time, writes the file. */
  async name(key: string, write: () => Promise<string>): Promise<string> {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = await write();
    await this.#journal.append(`${JSON.stringify([key, name])}\n`);
    this.#names.set(key, name);
    return name;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

/** Reads the names without changing the file. */
export async function readSavedFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  return (await readNames(folder)).names;
}

const fileIn = (folder: string): string => path.join(folder, 'images.jsonl');

async function readNames(folder: string): Promise<{ readonly names: Map<string, string>; readonly length: number }> {
  const names = new Map<string, string>();
  let length = 0;
  for await (const { bytes, at, isComplete } of byteLinesOf(fileIn(folder))) {
    if (!isComplete) break;
    const entry = Entry.safeParse(parsed(bytes.toString('utf8'))).data;
    if (entry) names.set(...entry);
    length = at + bytes.length + 1;
  }
  return { names, length };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
