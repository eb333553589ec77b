import pMap from 'p-map';
import type { FollowedLogs } from '../follow/followedLogs.ts';
import { workerKey, type LogSubject } from '../model/logSubject.ts';
import { MAX_WRITTEN, type PanelItem } from './panelQueue.ts';

/** Maximum number of archives that are read at the same time. */
const CONCURRENCY = 4;
/** Minimum number of lines of each worker. */
const LEAST_LINES = 50;

/** Number of lines that each worker had received when its log was cleared, by the key of the worker. */
export type Cleared = ReadonlyMap<string, number>;

/**
 * Returns the newest stored lines of a log, about as many as the panel shows at once, in the order of their times. The lines are those that
 * are stored at the time of the call.
 */
export async function recentItems(
  followed: FollowedLogs,
  subject: LogSubject,
  cleared: Cleared,
): Promise<readonly PanelItem[]> {
  const workers = followed.workersOf(subject);
  const most = Math.max(LEAST_LINES, Math.ceil((2 * MAX_WRITTEN) / Math.max(1, workers.length)));
  const parts = workers.flatMap((worker) => {
    const archive = followed.logOf(worker)?.archive;
    if (!archive) return [];
    const since = cleared.get(workerKey(worker));
    const lines = since === undefined ? most : Math.min(most, archive.appended - since);
    const { count, generation } = archive;
    return [{ worker, archive, from: Math.max(0, count - lines), to: count, generation }];
  });
  const lists = await pMap(
    parts,
    async ({ worker, archive, from, to, generation }): Promise<readonly PanelItem[]> => {
      const entries = await archive.read(from, to);
      // The lines have other indexes now.
      if (archive.generation !== generation) return [];
      return entries.map((entry) => ({ kind: 'line', worker, at: entry.at, entry }));
    },
    { concurrency: CONCURRENCY },
  );
  return lists
    .flat()
    .toSorted((a, b) => a.at - b.at)
    .slice(-MAX_WRITTEN);
}
