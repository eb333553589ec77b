import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isLocked, removeFolder } from '../../../../machine/folderLock.ts';
import { hadJournal, readJournal } from '../journal.ts';
import type { BatchState } from '../model/batchState.ts';
import { JournalError, type BatchHeader, type JournalProblem } from '../model/journalEntries.ts';

interface StoredFolder {
  readonly id: string;
  readonly folder: string;
  /** Whether a window runs the batch. */
  readonly isRunning: boolean;
}

/** A batch in the storage of the extension. */
export interface ListedBatch extends StoredFolder {
  readonly state: BatchState;
}

/** A batch that this version of the extension cannot run. It is never changed. */
export interface UnreadableBatch extends StoredFolder {
  /** `unreadable`: the file system refuses the access. */
  readonly problem: JournalProblem | 'unreadable';
  /** Undefined if it cannot be read either. */
  readonly header: BatchHeader | undefined;
  /** Time of the last change, in ms since the epoch. */
  readonly changedAt: number;
}

export interface StoredBatches {
  /** Newest first. */
  readonly batches: readonly ListedBatch[];
  readonly unreadable: readonly UnreadableBatch[];
}

/** Maximum number of kept batches. Older ones are deleted, except those with rows left and those with damages. */
const MAX_BATCHES = 20;
/** Age in ms from which a folder without a journal is left over. */
const LEFT_OVER_MS = 24 * 3_600_000;

/**
 * Returns the batches. Deletes those beyond the maximum, and left-over folders that never had a journal.
 *
 * @param root folder of all batches
 * @param now in ms since the epoch
 */
export async function listBatches(root: string, now: number): Promise<StoredBatches> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const found: ListedBatch[] = [];
  const unreadable: UnreadableBatch[] = [];
  for (const { name: id } of entries.filter((entry) => entry.isDirectory())) {
    const folder = path.join(root, id);
    try {
      if (await hadJournal(folder)) {
        const { state } = await readJournal(folder);
        found.push({ id, folder, state, isRunning: await isLocked(folder) });
      } else if (await isOld(folder, now)) await removeFolder(folder);
    } catch (error) {
      const batch = await unreadableBatch(id, folder, error);
      if (batch) unreadable.push(batch);
    }
  }
  found.sort((a, b) => b.state.header.createdAt - a.state.header.createdAt);
  const surplus = found.slice(MAX_BATCHES).filter(({ isRunning, state }) => !isRunning && isExpendable(state));
  const removed = new Set<ListedBatch>();
  for (const batch of surplus) if (await removeFolder(batch.folder).catch(() => false)) removed.add(batch);
  return { batches: found.filter((batch) => !removed.has(batch)), unreadable };
}

/** Deletes a batch with its rows and results. Results that were written beside the source stay. @returns false if a window runs it */
export function deleteBatch({ folder }: Pick<ListedBatch, 'folder'>): Promise<boolean> {
  return removeFolder(folder);
}

/** Returns whether a batch was interrupted: it has rows left, and neither the user nor its end stopped it. */
export function isInterrupted({ state, isRunning }: ListedBatch): boolean {
  return !isRunning && state.stop === undefined && state.left > 0;
}

const isExpendable = ({ left, damages }: BatchState): boolean => left === 0 && damages === 0;

/** Resolves with undefined if another window has deleted the folder. */
async function unreadableBatch(id: string, folder: string, error: unknown): Promise<UnreadableBatch | undefined> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return undefined;
  const { problem, header } =
    error instanceof JournalError ? error : ({ problem: 'unreadable', header: undefined } as const);
  // A lock that cannot be read may be held.
  const isRunning = await isLocked(folder).catch(() => true);
  return { id, folder, isRunning, problem, header, changedAt: found.mtimeMs };
}

async function isOld(folder: string, now: number): Promise<boolean> {
  return now - (await stat(folder)).mtimeMs > LEFT_OVER_MS;
}
