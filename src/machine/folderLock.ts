import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isLocked as isFileLocked, tryLock } from './fileLock.ts';

/* The lock of a folder, so that two windows never write the same files. */

const lockIn = (folder: string): string => path.join(folder, 'lock');

/** Locks a folder. Resolves with a function that releases the lock, or with undefined if another process or window holds it. */
export async function lockFolder(folder: string): Promise<(() => Promise<void>) | undefined> {
  const lock = await tryLock(lockIn(folder));
  return lock && (() => lock.release());
}

/** Returns whether a process holds the lock of a folder. */
export function isLocked(folder: string): Promise<boolean> {
  return isFileLocked(lockIn(folder));
}

/** Deletes a folder with its content. Resolves with false if another process or window holds its lock. */
export async function removeFolder(folder: string): Promise<boolean> {
  let release: (() => Promise<void>) | undefined;
  // The lock disappears before the rest of the folder does. Under its old name, another window could take the lock in between.
  const removed = `${folder}.${randomUUID()}`;
  try {
    release = await lockFolder(folder);
    if (!release) return false;
    await rename(folder, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  } finally {
    await release?.();
  }
  await rm(removed, { recursive: true, force: true });
  return true;
}

/** A temporary folder, which its process locks. */
export interface LockedFolder {
  /** Path without links. */
  readonly path: string;
  /** Deletes the folder, except for files of other users, such as those of a container. */
  remove(): Promise<void>;
}

/** Creates a temporary folder, and deletes those with the same beginning of the name whose process was killed. */
export async function createTemporaryFolder(prefix: string): Promise<LockedFolder> {
  const base = tmpdir();
  const names = await readdir(base).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const folder = path.join(base, name);
    // A folder without a lock is being created.
    const wasLocked = await stat(lockIn(folder)).then(
      () => true,
      () => false,
    );
    if (wasLocked && !(await isLocked(folder).catch(() => true))) await removeFolder(folder).catch(() => false);
  }
  const folder = await realpath(await mkdtemp(path.join(base, prefix)));
  const unlock = await lockFolder(folder);
  return {
    path: folder,
    remove: async () => {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
      await unlock?.();
    },
  };
}
