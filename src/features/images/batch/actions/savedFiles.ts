import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { AppendedFile } from '../../../jobs/batch/appendedFile.ts';

const Entry = z.tuple([z.string(), z.string()]);

/** Names of the files that a batch has written, by a key. They are in the folder of the batch. */
export class SavedFiles {
  readonly #names: Map<string, string>;
  readonly #journal: AppendedFile;

  private constructor(names: Map<string, string>, journal: AppendedFile) {
    this.#names = names;
    this.#journal = journal;
  }

  /** Reads the names. A last line whose write was interrupted is removed. */
  static async open(folder: string): Promise<SavedFiles> {
    const file = path.join(folder, 'images.jsonl');
    const text = await readFile(file, 'utf8').catch(() => '');
    const complete = text.slice(0, text.lastIndexOf('\n') + 1);
    const names = new Map<string, string>();
    for (const line of complete.split('\n')) {
      const entry = Entry.safeParse(parsed(line)).data;
      if (entry) names.set(...entry);
    }
    return new SavedFiles(names, await AppendedFile.open(file, Buffer.byteLength(complete)));
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

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
