import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { DATA_DIRECTORY } from '../../../../contract/launch/localPlatform.ts';
import { newOwner, readLock, takeLock } from '../../../../machine/fileLock.ts';
import { holderOf, lockFileOf } from '../../../../machine/platformLock.ts';

/**
 * Removes the platform's files from its data directory. Keeps all other files, because the user can choose a directory that has some.
 *
 * @throws Error when a running platform uses the directory
 */
export async function emptyDataDirectory(directory: string): Promise<void> {
  if (!(await stat(directory).catch(() => undefined))) return;
  const file = lockFileOf(directory);
  const found = await readLock(file);
  const holder = await holderOf(directory);
  if (holder) {
    throw new Error(l10n.t`another local platform (process ${holder.pid}) uses ${directory}; stop it first`);
  }
  // A platform that starts in the meantime waits for the lock, or fails with its own message.
  const lock = await takeLock(file, await newOwner(), found);
  if (!lock) throw new Error(l10n.t`another local platform starts in ${directory}; stop it first`);
  try {
    for (const name of DATA_DIRECTORY.contents)
      await rm(path.join(directory, name), { recursive: true, force: true, maxRetries: 3 });
  } finally {
    await lock.release();
  }
}

/** Returns whether a running platform uses the directory and is not shutting down. */
export async function isHeld(directory: string): Promise<boolean> {
  const holder = await holderOf(directory);
  return holder !== undefined && holder.leaving !== true;
}
