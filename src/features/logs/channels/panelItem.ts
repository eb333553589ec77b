import type { LogEntry } from '../archive/readableLog.ts';
import type { FollowState } from '../model/followState.ts';
import type { LoggedWorker } from '../model/loggedWorker.ts';
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
