import type { FollowedLogs } from '../follow/followedLogs.ts';
import type { LogSubject } from '../model/logSubject.ts';
import type { PanelItem } from './panelItem.ts';
import { MAX_WRITTEN } from './panelQueue.ts';

/** Returns the newest stored lines of a log, as many as the panel shows at once, in the order of their times. */
export async function recentItems(followed: FollowedLogs, subject: LogSubject): Promise<readonly PanelItem[]> {
  const lists = await Promise.all(
    followed.workersOf(subject).map(async (worker): Promise<readonly PanelItem[]> => {
      const archive = followed.logOf(worker)?.archive;
      if (!archive) return [];
      const entries = await archive.read(Math.max(0, archive.count - MAX_WRITTEN), archive.count);
      return entries.map((entry) => ({ kind: 'line', worker, at: entry.at, entry }));
    }),
  );
  return lists
    .flat()
    .toSorted((a, b) => a.at - b.at)
    .slice(-MAX_WRITTEN);
}
