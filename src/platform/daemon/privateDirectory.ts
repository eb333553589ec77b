import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY } from '../../contract/launch/localPlatform.ts';
import { OTHERS, PRIVATE_DIRECTORY, PRIVATE_FILE } from '../secrets/privateFiles.ts';
import { StartFailure } from '../startFailure.ts';

const STICKY = 0o1000;

/**
 * Removes the permissions of other users from a data directory and the platform's files in it. Other files keep their modes. Files on
 * volumes keep them too, because other users cannot enter the directories of the volumes.
 *
 * @throws StartFailure dataDirUnusable if a file belongs to another user or the directory is shared by all; the file system's error
 */
export async function makePrivate(directory: string): Promise<void> {
  // Windows has no modes: see privateFiles.ts.
  if (process.platform === 'win32') return;
  const { mode } = await stat(directory);
  if ((mode & STICKY) !== 0) throw sharedDirectory(directory);
  await restrict(directory, directory);
  for (const name of [DATA_DIRECTORY.lock, ...DATA_DIRECTORY.contents]) {
    await restrict(path.join(directory, name), directory);
  }
  const volumes = path.join(directory, DATA_DIRECTORY.volumes);
  for (const name of await readdir(volumes).catch(() => [])) await restrict(path.join(volumes, name), directory);
}

async function restrict(file: string, directory: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return;
  if (found.uid !== process.geteuid?.()) throw ownedByOther(file, directory);
  if ((found.mode & OTHERS) === 0) return;
  // Adds no permissions for the user: restrictions may be intentional.
  await chmod(file, found.mode & (found.isDirectory() ? PRIVATE_DIRECTORY : PRIVATE_FILE));
}

function ownedByOther(file: string, directory: string): StartFailure {
  const remedy = `run "chown -R ${process.geteuid?.() ?? ''} ${quoted(directory)}" as the superuser, or choose another --data-dir`;
  return new StartFailure('dataDirUnusable', `${file} belongs to another user, who could read the data`, {
    remedy,
  });
}

function sharedDirectory(directory: string): StartFailure {
  const remedy = `choose another --data-dir, such as ${path.join(directory, 'cloud-compute')}`;
  return new StartFailure('dataDirUnusable', `${directory} is shared by all users`, { remedy });
}

/** Quotes a text for a shell. */
export function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
