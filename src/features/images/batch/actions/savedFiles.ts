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
    const complete = await completeLines(folder);
    return new SavedFiles(namesIn(complete), await AppendedFile.open(fileIn(folder), Buffer.byteLength(complete)));
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
  return namesIn(await completeLines(folder));
}

const fileIn = (folder: string): string => path.join(folder, 'images.jsonl');

async function completeLines(folder: string): Promise<string> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => '');
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

function namesIn(lines: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const entry = Entry.safeParse(parsed(line)).data;
    if (entry) names.set(...entry);
  }
  return names;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
