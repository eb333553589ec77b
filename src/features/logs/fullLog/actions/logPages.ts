import type { ReadableLog } from '../../archive/readableLog.ts';
import { readLogLine, type ReadLogLine } from '../../model/readLogLine.ts';
import { PAGE_LINES } from '../model/cutPlan.ts';
import type { PageId } from '../model/pageAddress.ts';
import { countLinesBefore } from './countLines.ts';
import { LogCuts } from './logCuts.ts';
import { LogRenumbered, mergedLines, type Lines, type MergedLine } from './mergedLines.ts';
import { TimeSlice } from '../../model/timeSlice.ts';

/** A line of a page. */
export interface PageLine extends MergedLine {
  readonly read: ReadLogLine;
}

/** The content of one document: a page, or a part of a page with too much text for one document. */
export interface ReadPage extends PageId {
  /** In the order of their times. */
  readonly lines: readonly PageLine[];
  /** Line index of the start in each log. */
  readonly from: Lines;
  /** Line index of the end in each log, exclusive. */
  readonly to: Lines;
  /** Number of lines before this document. */
  readonly before: number;
  /** Number of lines of all logs. */
  readonly total: number;
  /** Whether this is the newest document, which new lines are added to. */
  readonly isNewest: boolean;
}

/** A line of one of the logs. */
export interface LinePlace {
  /** Index of the log. */
  readonly log: number;
  /** Index of the line in its log. */
  readonly line: number;
}

/** Limits of one document. */
export interface PageLimits {
  /** Target for the number of lines. */
  readonly lines: number;
  /** Maximum length of the text, in UTF-16 code units. One line can exceed it. */
  readonly length: number;
}

const PAGE_LIMITS: PageLimits = { lines: PAGE_LINES, length: 4 * 1024 * 1024 };

/** Length of the time and the worker of a line, and of the indent of a continuation line, in UTF-16 code units. */
const LINE_START = 48;

/**
 * The pages of several logs, merged by time. Reads only the blocks of the pages that are asked for.
 *
 * The methods throw `LogRenumbered` if the lines of a log get other indexes. Then, the pages must be created again.
 */
export class LogPages {
  readonly #cuts: LogCuts;
  readonly #limits: PageLimits;
  /** Starts of the known parts of each page. */
  readonly #starts = new Map<number, Lines[]>();

  constructor(logs: readonly ReadableLog[], limits = PAGE_LIMITS) {
    this.#cuts = new LogCuts(logs, limits.lines);
    this.#limits = limits;
  }

  /** The logs. New logs are added at the end. */
  get logs(): readonly ReadableLog[] {
    return this.#cuts.logs;
  }

  get pageCount(): number {
    return this.#cuts.pageCount;
  }

  /** Number of lines of all logs. */
  get total(): number {
    return sum(this.logs.map(({ count }) => count));
  }

  /** Whether some lines are on a later page than their time requires, because they arrived late. */
  get hasLateLines(): boolean {
    return this.#cuts.hasLateLines;
  }

  /** Takes new lines and new logs. Returns false if the pages must be created again. */
  update(logs: readonly ReadableLog[]): boolean {
    return this.#cuts.update(logs);
  }

  /** Reads a document. Returns undefined if it does not exist. */
  async read({ page, part }: PageId): Promise<ReadPage | undefined> {
    if (page >= this.pageCount) return undefined;
    const known = this.#starts.get(page) ?? [];
    for await (const read of this.#parts(page, Math.min(part, known.length - 1))) if (read.part === part) return read;
    return undefined;
  }

  /** Returns the last document of a page. */
  async lastOf(page: number): Promise<PageId> {
    const known = this.#starts.get(page) ?? [];
    let part = 0;
    for await (const read of this.#parts(page, known.length - 1)) part = read.part;
    return { page, part };
  }

  newest(): Promise<PageId> {
    return this.lastOf(this.pageCount - 1);
  }

  /** Returns the document before another one, or undefined for the oldest one. */
  async olderThan({ page, part }: PageId): Promise<PageId | undefined> {
    if (part > 0) return { page, part: part - 1 };
    return page > 0 ? this.lastOf(Math.min(page, this.pageCount) - 1) : undefined;
  }

  /** Returns the document after another one, or undefined for the newest one. */
  async newerThan({ page, part }: PageId): Promise<PageId | undefined> {
    if (await this.read({ page, part: part + 1 })) return { page, part: part + 1 };
    return page + 1 < this.pageCount ? { page: page + 1, part: 0 } : undefined;
  }

  /** Returns the document that contains a line. */
  async pageOfLine({ log, line }: LinePlace): Promise<PageId> {
    const page = await this.#cuts.pageOf(log, line);
    const known = (this.#starts.get(page) ?? []).filter((start) => (start[log] ?? 0) <= line);
    let part = 0;
    for await (const read of this.#parts(page, known.length - 1)) {
      part = read.part;
      if ((read.to[log] ?? 0) > line) break;
    }
    return { page, part };
  }

  /** Returns the first line at or after a time, in ms since the epoch. Returns undefined if all lines are earlier. */
  async lineOfTime(at: number): Promise<LinePlace | undefined> {
    let found: (LinePlace & { readonly at: number }) | undefined;
    for (const [index, log] of this.logs.entries()) {
      const line = await countLinesBefore(log, at, { inclusive: false });
      const [entry] = line < log.count ? await log.read(line, line + 1) : [];
      if (!this.#cuts.isCurrent) throw new LogRenumbered();
      if (entry && (!found || entry.at < found.at)) found = { log: index, line, at: entry.at };
    }
    return found;
  }

  /** Reads the parts of a page in turn. @param first number of the first part; its start must be known, unless the part is the first one */
  async *#parts(page: number, first: number): AsyncGenerator<ReadPage, void> {
    const end = await this.#cuts.endOf(page);
    const starts = [...(this.#starts.get(page) ?? [await this.#cuts.startOf(page)])];
    let part = Math.max(first, 0);
    const isLastPage = page === this.pageCount - 1;
    // In the last page of several logs, new lines can belong before lines that are already there.
    if (!isLastPage || this.logs.length === 1) this.#starts.set(page, starts);
    const total = this.total;
    let lines: PageLine[] = [];
    let length = 0;
    const place = [...(starts[part] ?? [])];
    const finish = (isNewest: boolean): ReadPage => {
      const from = starts[part] ?? [];
      return { page, part, lines, from, to: [...place], before: sum(from), total, isNewest };
    };
    const slice = new TimeSlice();
    for await (const batch of mergedLines(this.logs, place, end)) {
      await slice.pause();
      for (const merged of batch) {
        const read = readLogLine(merged.entry.event);
        const added = lengthOf(read.text);
        if (lines.length > 0 && (length + added > this.#limits.length || lines.length >= 2 * this.#limits.lines)) {
          yield finish(false);
          part++;
          starts[part] = [...place];
          [lines, length] = [[], 0];
        }
        lines.push({ ...merged, read });
        length += added;
        place[merged.log] = merged.line + 1;
      }
    }
    if (!this.#cuts.isCurrent) throw new LogRenumbered();
    yield finish(isLastPage);
  }
}

/** Returns an upper bound for the length of a line in a document. */
function lengthOf(text: string): number {
  let length = text.length + LINE_START;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) length += LINE_START;
  return length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
