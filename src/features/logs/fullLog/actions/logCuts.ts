import type { ReadableLog } from '../../archive/readableLog.ts';
import { CutPlan } from '../model/cutPlan.ts';
import { countLinesBefore } from './countLines.ts';
import { LogRenumbered, type Lines } from './mergedLines.ts';

/**
 * The boundaries of the pages of several logs, as a line index for each log. A boundary is found when it is needed, with at most one read
 * for each log, and is then kept.
 */
export class LogCuts {
  readonly #logs: ReadableLog[];
  readonly #generations: number[];
  #counts: readonly number[];
  readonly #plan: CutPlan;
  readonly #found = new Map<string, Promise<number>>();

  constructor(logs: readonly ReadableLog[], pageLines?: number) {
    this.#logs = [...logs];
    this.#generations = logs.map(({ generation }) => generation);
    this.#counts = logs.map(({ count }) => count);
    this.#plan = new CutPlan(logs, pageLines);
    this.#plan.update();
  }

  /** The logs. Their order does not change, and new logs are added at the end. */
  get logs(): readonly ReadableLog[] {
    return this.#logs;
  }

  /** Number of pages. It grows as lines arrive. */
  get pageCount(): number {
    return this.#plan.cuts.length + 1;
  }

  /** Whether lines arrived after lines of other logs with later times, so that new boundaries would order the lines better. */
  get hasLateLines(): boolean {
    return this.#plan.hasLateLines;
  }

  /**
   * Takes the lines and the logs that were added. Returns false if these boundaries are no longer valid, because lines have other indexes,
   * a log is missing, or a new log has lines that belong to earlier pages.
   */
  update(logs: readonly ReadableLog[]): boolean {
    if (!this.isCurrent || this.#logs.some((log) => !logs.includes(log))) return false;
    for (const log of logs.filter((one) => !this.#logs.includes(one))) {
      if (!this.#plan.add(log)) return false;
      this.#logs.push(log);
      this.#generations.push(log.generation);
    }
    this.#counts = this.#logs.map(({ count }) => count);
    this.#plan.update();
    return true;
  }

  /** Whether the lines still exist with the indexes that they had when the boundaries were planned. */
  get isCurrent(): boolean {
    return this.#logs.every(
      ({ generation, count }, index) => generation === this.#generations[index] && count >= (this.#counts[index] ?? 0),
    );
  }

  /** Returns the first lines of a page. @throws LogRenumbered */
  async startOf(page: number): Promise<Lines> {
    return Promise.all(this.#logs.map((_, log) => this.lineAt(page, log)));
  }

  /** Returns the end of a page, exclusive. The last page ends with the last line. @throws LogRenumbered */
  async endOf(page: number): Promise<Lines> {
    return page >= this.#plan.cuts.length ? this.#logs.map(({ count }) => count) : this.startOf(page + 1);
  }

  /** Returns the first line of a page in one log. @throws LogRenumbered */
  lineAt(page: number, log: number): Promise<number> {
    const key = `${page}/${log}`;
    const found = this.#found.get(key) ?? this.#find(page, log);
    this.#found.set(key, found);
    // A failed read can succeed later.
    found.catch(() => this.#found.delete(key));
    return found;
  }

  /** Returns the page that contains a line. Reads a number of blocks that grows with the logarithm of the number of pages. */
  async pageOf(log: number, line: number): Promise<number> {
    let [low, high] = [0, this.pageCount - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((await this.lineAt(middle, log)) <= line) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  async #find(page: number, index: number): Promise<number> {
    const cut = this.#plan.cuts[page - 1];
    const log = this.#logs[index];
    if (!cut || !log) return 0;
    if (index === cut.log) return cut.line;
    const { position, counts } = cut;
    if (index === position.log) return position.line;
    const inclusive = index < position.log;
    const line = await countLinesBefore(log, position.at, { among: counts[index] ?? 0, inclusive });
    if (!this.isCurrent) throw new LogRenumbered();
    return line;
  }
}
