import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import type { LogBlock, LogEntry } from './readableLog.ts';
import {
  countLine,
  emptySegment,
  moveSegment,
  readSegment,
  removeSegment,
  segmentFile,
  segmentNumber,
  writeIndex,
  type Segment,
} from './segment.ts';
import { decodeLine, encodeLine, timeAfter, type ReceivedLine } from './storedLine.ts';

/** Size at which a segment is full, in bytes. */
const FULL_BYTES = 16 * 1024 * 1024;
/** Unwritten bytes over which the writer of lines should wait. */
const HIGH_WATER_BYTES = 4 * 1024 * 1024;

interface Unwritten {
  readonly segment: Segment;
  texts: string[];
}

/** A list of lines in numbered files of a folder, with an index in memory. Appended lines are written in the background, in order. */
export class LineFiles {
  readonly #folder: string;
  #segments: Segment[];
  #nextNumber: number;
  #blocks: LogBlock[] = [];
  #count = 0;
  #unwritten: Unwritten[] = [];
  #unwrittenBytes = 0;
  #writing: Promise<void> | undefined;
  #output: { readonly segment: Segment; readonly handle: FileHandle } | undefined;
  #failure: Error | undefined;

  private constructor(folder: string, segments: Segment[], nextNumber: number) {
    this.#folder = folder;
    this.#segments = segments;
    this.#nextNumber = nextNumber;
    this.#reindex();
  }

  /** Opens the files of a folder, which is created if it does not exist. @param firstNumber number of the first new file in an empty folder */
  static async open(folder: string, firstNumber: number): Promise<LineFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const segments = await readSegments(folder);
    const last = segments.at(-1);
    return new LineFiles(folder, segments, last ? (segmentNumber(last.file) ?? 0) + 1 : firstNumber);
  }

  get count(): number {
    return this.#count;
  }

  get blocks(): readonly LogBlock[] {
    return this.#blocks;
  }

  /** Size of all lines, in bytes. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Error that prevents further writes, such as a full disk. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Time of the last line, or negative infinity without lines. */
  get #lastAt(): number {
    return this.#segments.at(-1)?.lastAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Adds lines at the end and returns them with their times. After a failure, the lines are not stored. */
  append(lines: readonly ReceivedLine[]): readonly LogEntry[] {
    const texts = lines.map(encodeLine);
    // Most logs are ASCII, and measuring each line would take a large part of the time.
    const all = texts.join('');
    const isAscii = Buffer.byteLength(all) === all.length;
    let before = this.#lastAt;
    const entries = lines.map(({ event }, index): LogEntry => {
      const text = texts[index] ?? '';
      before = timeAfter(before, event);
      if (!this.#failure) this.#add(text, isAscii ? text.length : Buffer.byteLength(text), before);
      return { event, at: before };
    });
    this.#startWriting();
    return entries;
  }

  /** Returns a promise for the time when few lines are unwritten, if there are many now. */
  pressure(): Promise<void> | undefined {
    return this.#unwrittenBytes > HIGH_WATER_BYTES ? this.drained() : undefined;
  }

  /** Resolves once all appended lines are written, or cannot be written. Never rejects. */
  async drained(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Reads the lines from `from` (inclusive) to `to` (exclusive). */
  async read(from: number, to: number): Promise<readonly (ReceivedLine & LogEntry)[]> {
    await this.drained();
    const found: (ReceivedLine & LogEntry)[] = [];
    let base = 0;
    for (const segment of this.#segments.slice()) {
      const [first, last] = [Math.max(from - base, 0), Math.min(to - base, segment.lines)];
      if (first < last) found.push(...(await readLines(segment, first, last)));
      base += segment.lines;
    }
    return found;
  }

  /** Inserts all lines of other files, which are closed, before these lines. Moves the files to this folder. */
  async insertBefore(others: LineFiles): Promise<void> {
    const [first] = this.#segments;
    const next = (first && segmentNumber(first.file)) ?? this.#nextNumber;
    const start = next - others.#segments.length;
    const moved: Segment[] = [];
    // The last files first, so that a crash leaves a gap only before the moved lines.
    for (const [index, segment] of [...others.#segments.entries()].toReversed()) {
      moved.unshift(await moveSegment(segment, segmentFile(this.#folder, start + index)));
    }
    this.#segments = [...moved, ...this.#segments];
    this.#reindex();
  }

  /** Removes the first file if there are others. Returns the number of removed lines. */
  async removeFirst(): Promise<number> {
    await this.drained();
    const [first] = this.#segments;
    if (!first || this.#segments.length < 2) return 0;
    this.#segments = this.#segments.slice(1);
    this.#reindex();
    await removeSegment(first);
    return first.lines;
  }

  /** Resolves once all lines are written and the files are closed. */
  async close(): Promise<void> {
    await this.drained();
    await this.#output?.handle.close();
    this.#output = undefined;
  }

  #add(text: string, bytes: number, at: number): void {
    let segment = this.#segments.at(-1);
    if (!segment || segment.bytes >= FULL_BYTES) {
      segment = emptySegment(segmentFile(this.#folder, this.#nextNumber++), this.#lastAt);
      this.#segments.push(segment);
    }
    if (countLine(segment, bytes, at)) this.#blocks.push({ first: this.#count, at });
    this.#count++;
    this.#unwrittenBytes += bytes;
    const last = this.#unwritten.at(-1);
    if (last?.segment === segment) last.texts.push(text);
    else this.#unwritten.push({ segment, texts: [text] });
  }

  #startWriting(): void {
    if (this.#unwritten.length === 0) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      // Lines can arrive after the last check of the task.
      this.#startWriting();
    });
  }

  async #write(): Promise<void> {
    // Waits, so that the lines of one chunk are written at once.
    await Promise.resolve();
    try {
      for (let next = this.#unwritten.shift(); next; next = this.#unwritten.shift()) {
        const bytes = Buffer.from(next.texts.join(''));
        const handle = await this.#handleOf(next.segment);
        await handle.appendFile(bytes);
        this.#unwrittenBytes -= bytes.length;
      }
    } catch (error) {
      await this.#fail(error as Error);
    }
  }

  /** Opens the file of a segment. The file before it is full, so it is closed and its index is stored. */
  async #handleOf(segment: Segment): Promise<FileHandle> {
    if (this.#output?.segment === segment) return this.#output.handle;
    const before = this.#output;
    this.#output = { segment, handle: await open(segment.file, 'a', 0o600) };
    if (before) {
      await before.handle.close();
      await writeIndex(before.segment);
    }
    return this.#output.handle;
  }

  /** Forgets the lines that were not written, so that the index describes the files again. */
  async #fail(error: Error): Promise<void> {
    this.#failure = error;
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
    await this.#output?.handle.close().catch(() => undefined);
    this.#output = undefined;
    this.#segments = await readSegments(this.#folder).catch(() => []);
    this.#reindex();
  }

  #reindex(): void {
    this.#blocks = [];
    this.#count = 0;
    for (const { blocks, lines } of this.#segments) {
      for (const { first, at } of blocks) this.#blocks.push({ first: this.#count + first, at });
      this.#count += lines;
    }
  }
}

/** Reads the files of a folder in the order of their numbers. */
async function readSegments(folder: string): Promise<Segment[]> {
  const numbers = (await readdir(folder)).map(segmentNumber).filter((number) => number !== undefined);
  const segments: Segment[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    segments.push(await readSegment(segmentFile(folder, number), segments.at(-1)?.lastAt ?? Number.NEGATIVE_INFINITY));
  }
  return segments;
}

/** Reads lines of a segment, by their numbers in the segment. Reads only the blocks that contain them. */
async function readLines(
  { file, blocks, bytes }: Segment,
  first: number,
  last: number,
): Promise<(ReceivedLine & LogEntry)[]> {
  const start = blocks.findLast((block) => block.first <= first);
  const end = blocks.find((block) => block.first >= last);
  if (!start) return [];
  const buffer = Buffer.alloc((end?.offset ?? bytes) - start.offset);
  const handle = await open(file, 'r');
  try {
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start.offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const texts = buffer
      .toString('utf8', 0, filled)
      .split('\n')
      .slice(0, last - start.first);
    let at = start.at;
    return texts
      .map((text) => {
        const line = decodeLine(text);
        at = timeAfter(at, line.event);
        return { ...line, at };
      })
      .slice(first - start.first);
  } finally {
    await handle.close();
  }
}
