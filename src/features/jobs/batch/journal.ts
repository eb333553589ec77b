import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { AppendedFile } from './appendedFile.ts';
import { BatchState } from './model/batchState.ts';
import { parseEntry, parseHeader, JournalError, type BatchHeader, type JournalEntry } from './model/journalEntries.ts';

/* The journal of a batch: JSON Lines, to which entries are appended. Each entry is on disk before its effect is visible. */

const journalFile = (folder: string): string => path.join(folder, 'journal.jsonl');

/** Maximum number of rows in one entry. */
const MAX_AGAIN = 10_000;

/** Writes the header, which makes a folder a batch. */
export async function createJournal(folder: string, header: BatchHeader): Promise<void> {
  const file = await AppendedFile.open(journalFile(folder), 0);
  await file.append(`${JSON.stringify(header)}\n`);
  await file.close();
  await syncFolder(folder);
}

/** Reads a journal. A last line without its line break is ignored, because its write was interrupted. @throws JournalError */
export async function readJournal(folder: string): Promise<{ readonly state: BatchState; readonly length: number }> {
  let state: BatchState | undefined;
  let [rest, length, line] = ['', 0, 0];
  for await (const chunk of createReadStream(journalFile(folder), 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line++;
      length += Buffer.byteLength(text) + 1;
      if (state) state.apply(parseEntry(text, line), line);
      else state = new BatchState(parseHeader(text));
    }
  }
  if (!state) throw new JournalError(1);
  return { state, length };
}

/** The journal of a batch that this process runs. */
export class Journal {
  readonly state: BatchState;
  readonly #file: AppendedFile;

  private constructor(state: BatchState, file: AppendedFile) {
    this.state = state;
    this.#file = file;
  }

  /** Opens the journal and removes an interrupted last line. @throws JournalError */
  static async open(folder: string): Promise<Journal> {
    const { state, length } = await readJournal(folder);
    return new Journal(state, await AppendedFile.open(journalFile(folder), length));
  }

  /** Resolves once the entry is on disk, and then changes the state. */
  async append(entry: JournalEntry): Promise<void> {
    await this.#file.append(`${JSON.stringify(entry)}\n`);
    this.state.apply(entry);
  }

  /** Sends the rows once more, as new jobs. */
  async sendAgain(rows: readonly number[]): Promise<void> {
    for (let at = 0; at < rows.length; at += MAX_AGAIN)
      await this.append({ kind: 'again', rows: rows.slice(at, at + MAX_AGAIN) });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Makes the entries of a folder durable. Windows does not support it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
