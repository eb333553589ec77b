import * as vscode from 'vscode';
import { createPick, rowOf, type ShownItem } from './quickInput.ts';
import { BACK, type Place } from './steps.ts';
import { safe, shown, type Showable } from '../text/shownText.ts';

export interface ItemPage<Item extends ShownItem> {
  readonly items: readonly Item[];
  /** Whether further pages can exist. */
  readonly more: boolean;
}

export interface PagedQuestion<Item extends ShownItem> {
  readonly place: Place;
  readonly placeholder: Showable;
  /** Placeholder if all pages are empty. */
  readonly empty: Showable;
  /** Reads the pages, each one on demand. The signal is aborted when the user leaves the quick pick. */
  readonly pages: (signal: AbortSignal) => AsyncIterator<ItemPage<Item>, void>;
}

/**
 * Shows a quick pick that opens at once and reads its items in the background. If further pages exist, its last row reads the next one.
 *
 * @returns the item, `BACK`, or undefined if the user dismissed the quick pick
 * @throws the error of `pages`
 */
export function askPaged<Item extends ShownItem>(
  question: PagedQuestion<Item>,
): Promise<Item | typeof BACK | undefined> {
  const { place, placeholder, empty, pages } = question;
  const pick = createPick<Item | typeof MORE>({ title: place.title, placeholder });
  const leaving = new AbortController();
  const iterator = pages(leaving.signal);
  const items: Item[] = [];
  pick.step = place.step;
  pick.totalSteps = place.totalSteps;
  pick.ignoreFocusOut = true;
  pick.keepScrollPosition = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.buttons = place.back ? [vscode.QuickInputButtons.Back] : [];
  return new Promise((resolve, reject) => {
    const close = () => {
      leaving.abort();
      pick.dispose();
    };
    const settle = (answer: Item | typeof BACK | undefined) => {
      resolve(answer);
      close();
    };
    const readNext = async () => {
      pick.busy = true;
      try {
        const result = await iterator.next();
        if (leaving.signal.aborted) return;
        const page: ItemPage<Item> = result.done ? { items: [], more: false } : result.value;
        const first = items.length;
        items.push(...page.items);
        pick.items = [...items, ...(page.more ? [MORE] : [])].map((item) => rowOf<Item | typeof MORE>(item));
        pick.activeItems = pick.items.slice(first, first + 1);
        if (items.length === 0 && !page.more) pick.placeholder = safe(empty);
        pick.busy = false;
      } catch (error) {
        if (leaving.signal.aborted) return;
        reject(error instanceof Error ? error : new Error(String(error)));
        close();
      }
    };
    pick.onDidAccept(() => {
      const [row] = pick.selectedItems;
      if (!row) return;
      if (!isMore(row.item)) settle(row.item);
      else if (!pick.busy) void readNext();
    });
    pick.onDidTriggerButton(() => settle(BACK));
    pick.onDidHide(() => settle(undefined));
    pick.show();
    void readNext();
  });
}

const MORE = { label: shown`$(sync) Load More…`, alwaysShow: true } as const;

function isMore(item: ShownItem): item is typeof MORE {
  return item === MORE;
}
