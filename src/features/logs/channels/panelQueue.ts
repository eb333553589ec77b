import type { LogEntry } from '../archive/readableLog.ts';
import type { FollowState } from '../model/followState.ts';
import type { LoggedWorker } from '../model/logSubject.ts';
import type { Trouble } from '../model/trouble.ts';

/** One item of a log in the panel. `at` is in ms since the epoch. */
export type PanelItem =
  | { readonly kind: 'line'; readonly worker: LoggedWorker; readonly at: number; readonly entry: LogEntry }
  | { readonly kind: 'trouble'; readonly worker: LoggedWorker; readonly at: number; readonly trouble: Trouble }
  | {
      readonly kind: 'state';
      readonly worker: LoggedWorker | undefined;
      readonly at: number;
      readonly state: FollowState;
    };

/** Sorts the items of several workers by time. Items with the same time keep their order. */
export function inTimeOrder(items: readonly PanelItem[]): PanelItem[] {
  return items.toSorted((a, b) => a.at - b.at);
}

/** Maximum number of items that are written to the panel at once. Older ones are skipped. */
export const MAX_WRITTEN = 2_000;
/** Number of waiting items at which the older ones are skipped. */
const MAX_WAITING = 10_000;

/** The items that the panel shows next. A panel cannot keep up with a flood of lines, so the oldest waiting lines are skipped. */
export class PanelQueue {
  readonly #isMerged: boolean;
  #items: PanelItem[] = [];
  #skipped = 0;

  /** @param isMerged whether the items come from several workers, so that they must be sorted by time */
  constructor(isMerged: boolean) {
    this.#isMerged = isMerged;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(items: readonly PanelItem[]): void {
    for (const item of items) {
      this.#items.push(item);
      if (this.#items.length > MAX_WAITING) this.#skip();
    }
  }

  /** Removes all items. Returns those to write, and the number of lines that were skipped before them. */
  take(): { readonly items: readonly PanelItem[]; readonly skipped: number } {
    this.#skip();
    const taken = { items: this.#items, skipped: this.#skipped };
    this.#items = [];
    this.#skipped = 0;
    return taken;
  }

  clear(): void {
    this.take();
  }

  /** Skips the oldest lines. States and troubles are few and stay. */
  #skip(): void {
    const items = this.#isMerged ? inTimeOrder(this.#items) : this.#items;
    const excess = items.length - MAX_WRITTEN;
    this.#items =
      excess <= 0 ? items : [...items.slice(0, excess).filter(({ kind }) => kind !== 'line'), ...items.slice(excess)];
    this.#skipped += items.length - this.#items.length;
  }
}
