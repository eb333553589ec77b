import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { createPick, rowOf, separator, type Row, type ShownItem } from '../../../kit/quickInput.ts';
import { foreign, safe, shown } from '../../../text/shownText.ts';
import { LogClock } from '../model/logClock.ts';
import type { FoundLine, SearchProgress } from './actions/findInLog.ts';
import { grouped, lineCount, type LineFormat } from './model/pageText.ts';

type HitItem = ShownItem & { readonly hit: FoundLine };

/** The choice of the user: a line, or another search. */
export type HitChoice = { readonly hit: FoundLine } | 'searchAgain' | undefined;

export interface HitListOptions {
  readonly search: string;
  readonly clock: Clock;
  readonly format: LineFormat;
  /** Returns the short name of a worker, or undefined in a log of one worker. */
  readonly workerOf: (hit: FoundLine) => string | undefined;
  readonly maxHits: number;
}

/** Minimum time between two updates of the list, in ms. */
const INTERVAL_MS = 250;
/** An update sends the whole list to the window, so that longer lists are updated less often. */
const HITS_PER_MS = 10;
/** Number of characters before a match, so that the match is visible in its row. */
const CONTEXT_BEFORE = 40;
const LONGEST_ROW = 200;

/** A list of the lines that a search finds, which fills while the search runs. */
export class HitList {
  readonly #options: HitListOptions;
  readonly #list: vscode.QuickPick<Row<HitItem>>;
  readonly #clock: LogClock;
  readonly #leaving = new AbortController();
  readonly #choice = Promise.withResolvers<HitChoice>();
  #rows: Row<HitItem>[] = [];
  #hits = 0;
  /** Day of the last row. */
  #day: string | undefined;
  #progress: SearchProgress = { searched: 0, total: 0, tooSlow: 0 };
  #stopWaiting: (() => void) | undefined;

  constructor(options: HitListOptions) {
    this.#options = options;
    const { timestamps, timeZone } = options.format;
    this.#clock = new LogClock(timestamps === 'utc' ? 'UTC' : timeZone);
    this.#list = createPick<HitItem>({ title: this.#title(), placeholder: l10n.t('Searching…') });
    this.#list.busy = true;
    this.#list.keepScrollPosition = true;
    this.#list.matchOnDescription = true;
    this.#list.buttons = [vscode.QuickInputButtons.Back];
    this.#list.onDidTriggerButton(() => this.#choice.resolve('searchAgain'));
    this.#list.onDidAccept(() => this.#accept());
    this.#list.onDidHide(() => this.#close());
    this.#list.show();
  }

  /** Aborted once the user leaves the list. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Resolves once the user chooses a line or leaves the list. */
  get choice(): Promise<HitChoice> {
    return this.#choice.promise;
  }

  add(hit: FoundLine): void {
    this.#rows.push(...this.#rowsOf(hit));
    this.#hits++;
    this.#schedule();
  }

  report(progress: SearchProgress): void {
    this.#progress = progress;
    this.#schedule();
  }

  /** Removes all lines, because the search starts again. */
  clear(): void {
    this.#rows = [];
    this.#hits = 0;
    this.#day = undefined;
    this.#schedule();
  }

  /** Shows that the search is complete. */
  finish(): void {
    this.#stopWaiting?.();
    if (this.#leaving.signal.aborted) return;
    this.#list.busy = false;
    this.#update();
  }

  /** Hides the list. */
  hide(): void {
    this.#choice.resolve(undefined);
    this.#close();
  }

  #accept(): void {
    const [row] = this.#list.selectedItems;
    if (row) this.#choice.resolve({ hit: row.item.hit });
    else if (!this.#list.busy) this.#choice.resolve('searchAgain');
  }

  #close(): void {
    if (this.#leaving.signal.aborted) return;
    this.#stopWaiting?.();
    this.#leaving.abort();
    this.#choice.resolve(undefined);
    this.#list.dispose();
  }

  #schedule(): void {
    if (this.#stopWaiting || this.#leaving.signal.aborted) return;
    const delay = INTERVAL_MS + this.#rows.length / HITS_PER_MS;
    this.#stopWaiting = callAfter(this.#options.clock, delay, () => {
      this.#stopWaiting = undefined;
      if (!this.#leaving.signal.aborted) this.#update();
    });
  }

  #update(): void {
    const list = this.#list;
    const { activeItems } = list;
    if (list.items.length !== this.#rows.length) {
      list.items = [...this.#rows];
      // The editor otherwise activates the first row.
      if (activeItems.length > 0) list.activeItems = activeItems;
    }
    list.title = safe(this.#title());
    list.placeholder = safe(this.#placeholder());
  }

  #title() {
    const { search, maxHits } = this.#options;
    const limit = this.#hits >= maxHits ? l10n.t(' (the first ones)') : '';
    const { tooSlow } = this.#progress;
    const skipped = tooSlow === 0 ? '' : l10n.t`, ${lineCount(tooSlow)} not searched: the expression takes too long`;
    return shown`Find “${foreign(search, 60)}”: ${lineCount(this.#hits)}${limit}${skipped}`;
  }

  #placeholder() {
    if (!this.#list.busy) {
      return this.#rows.length === 0
        ? l10n.t('No line matches. Press Enter to search again.')
        : l10n.t('Choose a line to show, or type to filter');
    }
    const { searched, total } = this.#progress;
    if (total === 0) return l10n.t('Searching…');
    return shown`Searching… ${Math.floor((searched / total) * 100)} % of ${grouped(total)} lines. Press Escape to cancel.`;
  }

  /** Returns the row of a hit, after a row with the date if the hit is the first one of a day. */
  #rowsOf(hit: FoundLine): Row<HitItem>[] {
    const { at, number } = hit;
    const time = this.#clock.read(at);
    const worker = this.#options.workerOf(hit);
    const parts = [grouped(number), time?.time.slice(0, 8), worker].filter((part) => part !== undefined);
    // A line is often longer than its row. The editor shortens the description, and not the label.
    const row = rowOf({ label: parts.join(' · '), description: foreign(excerpt(hit), LONGEST_ROW), hit });
    const isNewDay = time !== undefined && time.day !== this.#day;
    this.#day = time?.day ?? this.#day;
    return isNewDay ? [rowOf({ ...separator(time.day), hit }), row] : [row];
  }
}

/** Returns the part of a line around its match. */
function excerpt({ text, start }: FoundLine): string {
  if (start <= CONTEXT_BEFORE) return text.slice(0, LONGEST_ROW * 2);
  const from = start - CONTEXT_BEFORE;
  return `…${text.slice(from, from + LONGEST_ROW * 2).toWellFormed()}`;
}
