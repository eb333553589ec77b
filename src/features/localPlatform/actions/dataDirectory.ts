import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { DATA_DIRECTORY } from '../../../contract/launch/localPlatform.ts';
import { holderOf } from '../../../machine/platformLock.ts';

/**
 * Removes the platform's files from its data directory. Keeps all other files, because the user can choose a directory that has some.
 *
 * @throws Error when a running platform uses the directory
 */
export async function emptyDataDirectory(directory: string): Promise<void> {
  const holder = await holderOf(directory);
  if (holder) {
    throw new Error(l10n.t`another local platform (process ${holder.pid}) uses ${directory}; stop it first`);
  }
  for (const name of [...DATA_DIRECTORY.contents, DATA_DIRECTORY.lock]) {
    await rm(path.join(directory, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns whether a running platform uses the directory and is not shutting down. */
export async function isHeld(directory: string): Promise<boolean> {
  const holder = await holderOf(directory);
  return holder !== undefined && holder.leaving !== true;
}
