import { createReadStream } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import { AppendedFile, resultsFile } from './batchFiles.ts';
import { linesOf, type Line } from './model/lines.ts';
import { BatchState } from './model/batchState.ts';
import {
  decodeEntry,
  decodeHeader,
  encodeLine,
  isWhole,
  JournalError,
  type BatchHeader,
  type JournalEntry,
} from './model/journalEntries.ts';

/*
 * The journal of a batch: JSON Lines, to which entries are appended. Each entry is on disk before its effect is visible. A copy of the
 * header keeps a batch readable whose first line is damaged.
 */

const journalFile = (folder: string): string => path.join(folder, 'journal.jsonl');
const headerFile = (folder: string): string => path.join(folder, 'header.json');

/** Maximum number of rows in one entry. */
const MAX_AGAIN = 10_000;

/** Writes the header, which makes a folder a batch. */
export async function createJournal(folder: string, header: BatchHeader): Promise<void> {
  for (const location of [journalFile(folder), headerFile(folder)]) {
    const file = await AppendedFile.open(location, 0);
    await file.append(encodeLine(header));
    await file.close();
  }
  await syncFolder(folder);
}

/** Returns whether a folder has a journal, or had one. @throws the error of the file system */
export async function hadJournal(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return [journalFile(folder), headerFile(folder), resultsFile(folder)].some((file) =>
    names.includes(path.basename(file)),
  );
}

interface ReadJournal {
  readonly state: BatchState;
  /** Size without a last line whose write was interrupted, in bytes. */
  readonly length: number;
  /** Whether the last line lacks its line break, and is kept because it is damaged. */
  readonly isOpen: boolean;
}

/**
 * Reads a journal. A last line without its line break is ignored, because its write was interrupted. Other lines that cannot be read are
 * counted as damages of the state, and results of the lost entries are recovered.
 *
 * @throws JournalError for a newer version, and if the header and its copy are damaged. The error of the file system
 */
export async function readJournal(folder: string): Promise<ReadJournal> {
  let state: BatchState | undefined;
  let [rest, length]: [Buffer, number] = [Buffer.alloc(0), 0];
  const take = async (bytes: Buffer): Promise<void> => {
    const text = bytes.toString('utf8');
    if (!state) {
      const header = decodeHeader(text);
      if (header === 'newer') throw new JournalError('newer');
      state = new BatchState(header === 'damaged' ? await copiedHeader(folder) : header);
      if (header === 'damaged') state.lose(bytes.length);
      return;
    }
    const entry = decodeEntry(text);
    if (entry === 'newer') throw new JournalError('newer', state.header);
    if (entry === 'damaged' || !state.has(entry)) state.lose(bytes.length);
    else state.apply(entry);
  };
  for await (const line of fileLines(journalFile(folder))) {
    if (!line.isComplete) rest = line.bytes;
    else {
      await take(line.bytes);
      length = line.at + line.bytes.length + 1;
    }
  }
  const isOpen = !isInterrupted(rest);
  if (isOpen) {
    await take(rest);
    length += rest.length;
  }
  if (!state) {
    // All entries may be lost.
    state = new BatchState(await copiedHeader(folder));
    state.lose(Infinity);
  }
  if (state.damages > 0) await recoverResults(folder, state);
  return { state, length, isOpen };
}

/** Returns whether the end of a journal is only the beginning of a line. */
function isInterrupted(rest: Buffer): boolean {
  if (rest.length === 0) return true;
  if (rest[0] !== '{'.charCodeAt(0) || rest.includes(0)) return false;
  const end = rest.indexOf('}');
  return end === -1 || (end === rest.length - 1 && !isWhole(rest.toString('utf8')));
}

/** Reads the copy of the header. @throws JournalError */
async function copiedHeader(folder: string): Promise<BatchHeader> {
  const text = await readFile(headerFile(folder), 'utf8').catch(() => '');
  const header = decodeHeader(text.trimEnd());
  if (header === 'newer' || header === 'damaged') throw new JournalError(header);
  return header;
}

/** The journal of a batch that this process runs. */
export class Journal {
  readonly state: BatchState;
  readonly #file: AppendedFile;

  private constructor(state: BatchState, file: AppendedFile) {
    this.state = state;
    this.#file = file;
  }

  /** Opens the journal and removes an interrupted last line. Damaged lines stay. @throws JournalError */
  static async open(folder: string): Promise<Journal> {
    const { state, length, isOpen } = await readJournal(folder);
    const file = await AppendedFile.open(journalFile(folder), length);
    if (isOpen) await file.append('\n');
    return new Journal(state, file);
  }

  /** Resolves once the entry is on disk, and then changes the state. */
  async append(entry: JournalEntry): Promise<void> {
    await this.#file.append(encodeLine(entry));
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

const Ended = z.object({
  row: z.int().min(1),
  id: z.string().optional(),
  status: z.string(),
  executionTime: z.number().optional(),
});
type Ended = z.infer<typeof Ended>;

/** Finds the results of rows whose entries in the journal are lost. Each result is on disk before its entry. */
async function recoverResults(folder: string, state: BatchState): Promise<void> {
  for await (const { bytes, at, isComplete } of fileLines(resultsFile(folder))) {
    const result = isComplete ? Ended.safeParse(parseJson(bytes.toString('utf8'))).data : undefined;
    if (!result || !isResultOf(state, result)) continue;
    const { row, status, executionTime } = result;
    const ms = executionTime === undefined ? {} : { ms: executionTime };
    state.apply({ kind: 'ended', row, status, at, length: bytes.length + 1, ...ms });
  }
}

/** Returns whether a result belongs to the current job of its row, and not to an earlier one. */
function isResultOf(state: BatchState, { row, id }: Ended): boolean {
  if (row > state.header.rows) return false;
  switch (state.stateOf(row)) {
    case 'accepted':
      return state.jobOf(row) === id;
    case 'sending':
    case 'pending':
      return state.attemptsOf(row) === 0;
    default:
      return false;
  }
}

/** Reads the lines of a file. A file that does not exist has none. */
async function* fileLines(file: string): AsyncGenerator<Line & { readonly bytes: Buffer }, void> {
  try {
    for await (const { bytes = Buffer.alloc(0), ...line } of linesOf(createReadStream(file))) yield { ...line, bytes };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
