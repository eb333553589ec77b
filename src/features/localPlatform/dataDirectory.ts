import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY } from '../../contract/launch/localPlatform.ts';
import { holderOf } from '../../machine/platformLock.ts';

/**
 * Removes what a platform keeps in its directory, and nothing else: a person may have chosen a directory that holds other things too.
 *
 * @throws Error when a platform is running on it
 */
export async function emptyDataDirectory(directory: string): Promise<void> {
  const holder = await holderOf(directory);
  if (holder) {
    throw new Error(`another local platform (process ${holder.pid}) uses ${directory}; stop that one first`);
  }
  for (const name of [...DATA_DIRECTORY.contents, DATA_DIRECTORY.lock]) {
    await rm(path.join(directory, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether a platform runs on the directory, and is not about to leave it. */
export async function isHeld(directory: string): Promise<boolean> {
  const holder = await holderOf(directory);
  return holder !== undefined && holder.leaving !== true;
}
