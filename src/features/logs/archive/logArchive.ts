import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import { LogPlace } from '../../../client/logPlace.ts';
import { lockFolder } from '../../../machine/folderLock.ts';
import { Emitter } from '../../../kit/emitter.ts';
import type { LoggedWorker } from '../model/logSubject.ts';
import { COMPARED_LINES, EarlierLines } from './earlierLines.ts';
import { LineFiles } from './lineFiles.ts';
import { BLOCK_LINES, type LogBlock, type LogEntry, type ReadableLog } from './readableLog.ts';
import type { ReceivedLine } from './storedLine.ts';

/** Number of the first file of a new archive. Files with earlier lines get smaller numbers. */
const FIRST_FILE = 1_000_000;
const EARLIER = 'earlier';

const State = z.object({
  worker: z.object({
    connectionId: z.string(),
    endpointId: z.string(),
    endpointName: z.string(),
    workerId: z.string(),
  }),
  isComplete: z.boolean(),
  removed: z.int().min(0),
  /** Time at which the stream last sent something, in ms since the epoch. */
  heardAt: z.number().optional(),
  isEnded: z.boolean().optional(),
});
type State = z.infer<typeof State>;

/** Adds the lines before the first stored line. */
export interface EarlierLinesWriter {
  /** Takes the next line of a stream that begins with the first line of the log. @returns whether the stream has reached the stored lines */
  take(lines: readonly ReceivedLine[]): boolean;
  pressure(): Promise<void> | undefined;
  /** Inserts the lines before the stored ones. */
  commit(): Promise<void>;
  /** Discards the lines. */
  abort(): Promise<void>;
}

/**
 * The log of one worker on disk, in a folder of its own. The position in the stream is that after the last stored line, so the lines and the
 * position cannot disagree after a crash.
 */
export class LogArchive implements ReadableLog {
  readonly worker: LoggedWorker;
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #release: () => Promise<void>;
  readonly #appended = new Emitter<void>();
  /** Fires when lines are added, inserted, or removed. */
  readonly onDidChange = this.#appended.event;
  readonly #files: LineFiles;
  #state: State;
  #generation = 0;
  /** The current change of the files other than appending. Such changes run one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #isTrimming = false;
  #saving: Promise<unknown> = Promise.resolve();
  #lines = 0;
  #closed = false;

  private constructor(folder: string, maxBytes: number, files: LineFiles, state: State, release: () => Promise<void>) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#files = files;
    this.#state = state;
    this.#release = release;
    this.worker = state.worker;
  }

  /**
   * Opens the archive of a worker, or creates it. Resolves with undefined if another window has it open.
   *
   * @param maxBytes size over which the oldest lines are removed
   * @throws an error of the file system
   */
  static async open(
    folder: string,
    worker: LoggedWorker,
    { maxBytes }: { maxBytes: number },
  ): Promise<LogArchive | undefined> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const release = await lockFolder(folder);
    if (!release) return undefined;
    try {
      await rm(path.join(folder, EARLIER), { recursive: true, force: true });
      const files = await LineFiles.open(folder, FIRST_FILE);
      const stored = await readState(folder);
      const state = stored ?? { worker: addressOf(worker), isComplete: false, removed: 0 };
      return new LogArchive(folder, maxBytes, files, { ...state, worker: addressOf(worker) }, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  get count(): number {
    return this.#files.count;
  }

  get blocks(): readonly LogBlock[] {
    return this.#files.blocks;
  }

  get bytes(): number {
    return this.#files.bytes;
  }

  get removed(): number {
    return this.#state.removed;
  }

  get isComplete(): boolean {
    return this.#state.isComplete;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Error because of which lines are no longer stored, such as a full disk. */
  get failure(): Error | undefined {
    return this.#files.failure;
  }

  /** Time at which the stream last sent something, in ms since the epoch. Undefined if it never did. */
  get heardAt(): number | undefined {
    return this.#state.heardAt;
  }

  /** Adds lines at the end. Returns them with their times. They are written in the background. */
  append(lines: readonly ReceivedLine[]): readonly LogEntry[] {
    const entries = this.#files.append(lines);
    this.#lines += lines.length;
    this.#trimIfLarge();
    this.#appended.fire();
    return entries;
  }

  /** Number of lines that were appended since the archive was opened. */
  get appended(): number {
    return this.#lines;
  }

  /** Whether the worker is gone and all of its lines are stored. */
  get isEnded(): boolean {
    return this.#state.isEnded === true;
  }

  /** Returns a promise for the time when few lines are unwritten, if there are many now. */
  pressure(): Promise<void> | undefined {
    return this.#files.pressure();
  }

  read(from: number, to: number): Promise<readonly LogEntry[]> {
    return this.#files.read(from, to);
  }

  /** Returns the position after the last stored line, from which a stream continues. */
  async place(): Promise<LogPlace> {
    const place = new LogPlace();
    for (const { event, id } of await this.#newestLines()) place.take(event, id);
    return place;
  }

  /** Records that the archive begins with the first line of the log. */
  markComplete(): void {
    this.#state = { ...this.#state, isComplete: true };
  }

  /** Records whether the worker is gone and all of its lines are stored. Stored with the next call of `save`. */
  markEnded(isEnded: boolean): void {
    this.#state = { ...this.#state, isEnded };
  }

  /** Records that the stream sent something. Stored with the next call of `save`. */
  heard(now: number): void {
    this.#state = { ...this.#state, heardAt: now };
  }

  /** Stores the state of the archive. */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#write());
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  async #write(): Promise<void> {
    const file = stateFile(this.#folder);
    await writeFile(`${file}.new`, JSON.stringify(this.#state), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  /** Starts to add the lines before the first stored line. There must be a stored line. */
  async addEarlierLines(): Promise<EarlierLinesWriter> {
    const folder = path.join(this.#folder, EARLIER);
    const { removed } = this;
    await rm(folder, { recursive: true, force: true });
    const earlier = new EarlierLines(await this.#files.read(0, COMPARED_LINES));
    const files = await LineFiles.open(folder, 1);
    return {
      take: (lines) => {
        for (const line of lines) files.append(earlier.take(line));
        return earlier.isDone;
      },
      pressure: () => files.pressure(),
      commit: async () => {
        await files.close();
        if (files.failure) throw files.failure;
        // After the first stored lines were removed, the earlier ones would leave a gap.
        await this.#exclusively(async () => {
          if (!this.#closed && this.removed === removed) await this.#insert(files);
        });
        await rm(folder, { recursive: true, force: true });
        this.#trimIfLarge();
      },
      abort: async () => {
        await files.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }

  /** Resolves once all lines are stored. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#changing;
    await this.#files.close();
    await this.save().catch(() => undefined);
    this.#appended.dispose();
    await this.#release();
  }

  async #insert(earlier: LineFiles): Promise<void> {
    await this.#files.insertBefore(earlier);
    this.#generation++;
    this.markComplete();
    await this.save();
    this.#appended.fire();
  }

  #exclusively(change: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #trimIfLarge(): void {
    if (this.#isTrimming || this.#files.bytes <= this.#maxBytes) return;
    this.#isTrimming = true;
    // Files that cannot be removed are removed later.
    void this.#exclusively(() => this.#trim())
      .catch(() => undefined)
      .finally(() => (this.#isTrimming = false));
  }

  /** Removes the oldest files until the size is within the limit. */
  async #trim(): Promise<void> {
    while (this.#files.bytes > this.#maxBytes) {
      const removed = await this.#files.removeFirst();
      if (removed === 0) return;
      this.#generation++;
      this.#state = { ...this.#state, removed: this.#state.removed + removed, isComplete: true };
      this.#appended.fire();
    }
  }

  /** Returns the newest lines, as many as the position needs: back to a line with another ID than the last one. */
  async #newestLines(): Promise<readonly ReceivedLine[]> {
    const { count } = this;
    for (let wanted = BLOCK_LINES; ; wanted *= 4) {
      const lines = await this.#files.read(Math.max(0, count - wanted), count);
      const last = lines.at(-1)?.id;
      if (wanted >= count || lines.some(({ id }) => id !== last)) return lines;
    }
  }
}

/** Reads the worker of an archive folder. Undefined if the folder is not an archive. */
export async function workerOfArchive(folder: string): Promise<LoggedWorker | undefined> {
  return (await readState(folder))?.worker;
}

async function readState(folder: string): Promise<State | undefined> {
  return State.safeParse(parseJson(await readFile(stateFile(folder), 'utf8').catch(() => ''))).data;
}

function stateFile(folder: string): string {
  return path.join(folder, 'archive.json');
}

function addressOf({ connectionId, endpointId, endpointName, workerId }: LoggedWorker): LoggedWorker {
  return { connectionId, endpointId, endpointName, workerId };
}
