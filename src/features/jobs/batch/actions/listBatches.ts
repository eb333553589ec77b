import { readdir, rm, stat } from 'node:fs/promises';
import type { BatchFiles } from '../batchFiles.ts';
import { isLocked } from '../../../../machine/folderLock.ts';
import { readJournal } from '../journal.ts';
import type { BatchState } from '../model/batchState.ts';

/** A batch in the storage of the extension. */
export interface ListedBatch {
  readonly id: string;
  readonly folder: string;
  readonly state: BatchState;
  /** Whether a window runs it. */
  readonly isRunning: boolean;
}

/** Maximum number of kept batches. Older ones are deleted, except those with rows left. */
const MAX_BATCHES = 20;
/** Age in ms from which a folder without a journal is left over. */
const LEFT_OVER_MS = 24 * 3_600_000;

/**
 * Returns the batches, newest first. Deletes those beyond the maximum, and left-over folders. Damaged batches are omitted.
 *
 * @param now in ms since the epoch
 */
export async function listBatches(files: BatchFiles, now: number): Promise<ListedBatch[]> {
  const entries = await readdir(files.root, { withFileTypes: true }).catch(() => []);
  const found: ListedBatch[] = [];
  for (const { name: id } of entries.filter((entry) => entry.isDirectory())) {
    const folder = files.folderOf(id);
    const read = await readJournal(folder).catch(() => undefined);
    if (read) found.push({ id, folder, state: read.state, isRunning: await isLocked(folder) });
    else if (await isOld(folder, now)) await deleteBatch({ folder });
  }
  found.sort((a, b) => b.state.header.createdAt - a.state.header.createdAt);
  const surplus = found.slice(MAX_BATCHES).filter(({ isRunning, state }) => !isRunning && state.left === 0);
  for (const batch of surplus) await deleteBatch(batch);
  return found.filter((batch) => !surplus.includes(batch));
}

/** Deletes a batch with its rows and results. Results that were written beside the source stay. */
export async function deleteBatch({ folder }: Pick<ListedBatch, 'folder'>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Returns whether a batch was interrupted: it has rows left, and neither the user nor its end stopped it. */
export function isInterrupted({ state, isRunning }: ListedBatch): boolean {
  return !isRunning && state.stop === undefined && state.left > 0;
}

async function isOld(folder: string, now: number): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && now - found.mtimeMs > LEFT_OVER_MS;
}
