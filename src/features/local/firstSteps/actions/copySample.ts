import { randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SampleError } from './sampleError.ts';

/** State of a folder that the sample could be copied to. */
export type FolderState = 'free' | 'hasSample' | 'hasOtherFiles';

/**
 * Copies the sample to a folder that does not exist or is empty. A folder that contains the sample stays as it is, so that the sample can
 * be tried again. The copy is complete or absent: it gets its name after its last file.
 *
 * @throws SampleError `notEmpty`, `notFolder`, or `unwritable`; the reason of the signal
 */
export async function copySample(source: string, folder: string, signal: AbortSignal): Promise<'copied' | 'kept'> {
  signal.throwIfAborted();
  try {
    const state = await stateOf(source, folder);
    if (state === 'hasSample') return 'kept';
    if (state === 'hasOtherFiles') throw new SampleError('notEmpty');
    await copyAtOnce(source, folder, signal);
    return 'copied';
  } catch (error) {
    throw signal.aborted || error instanceof SampleError ? error : sampleError(error);
  }
}

/** Returns what a folder contains. @throws SampleError `notFolder` or `unwritable` */
export async function folderState(source: string, folder: string): Promise<FolderState> {
  return stateOf(source, folder).catch((error: unknown) => {
    throw sampleError(error);
  });
}

/** Returns the first free name for a folder in `parent`: `name`, `name-2`, and so on. A folder with the sample also counts as free. */
export async function sampleFolderIn(source: string, parent: string): Promise<string> {
  const name = path.basename(source);
  for (let number = 1; ; number++) {
    const folder = path.join(parent, number === 1 ? name : `${name}-${number}`);
    const isTaken = await stateOf(source, folder).then(
      (state) => state === 'hasOtherFiles',
      (error: unknown) => codeOf(error) === 'ENOTDIR',
    );
    if (!isTaken) return folder;
  }
}

async function stateOf(source: string, folder: string): Promise<FolderState> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  if (entries.length === 0) return 'free';
  const exist = await Promise.all((await filesOf(source)).map((file) => isFile(path.join(folder, file))));
  return exist.every(Boolean) ? 'hasSample' : 'hasOtherFiles';
}

async function copyAtOnce(source: string, folder: string, signal: AbortSignal): Promise<void> {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true });
  // In the same folder, because a folder cannot be renamed to another file system.
  const unfinished = path.join(parent, `.${path.basename(folder)}-${randomUUID()}`);
  await mkdir(unfinished);
  try {
    for (const file of await filesOf(source)) {
      signal.throwIfAborted();
      const to = path.join(unfinished, file);
      await mkdir(path.dirname(to), { recursive: true });
      await copyFile(path.join(source, file), to, constants.COPYFILE_EXCL);
    }
    signal.throwIfAborted();
    await rename(unfinished, await removedIfEmpty(folder));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Removes an empty folder, because Windows renames no folder to the name of an existing one. */
async function removedIfEmpty(folder: string): Promise<string> {
  await rmdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  return folder;
}

/** Returns the files of a folder and its subfolders, as relative paths. */
async function filesOf(folder: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

function sampleError(error: unknown): SampleError {
  switch (codeOf(error)) {
    case 'ENOTDIR':
      return new SampleError('notFolder', { cause: error });
    // Another program wrote to the folder meanwhile.
    case 'ENOTEMPTY':
    case 'EEXIST':
      return new SampleError('notEmpty', { cause: error });
    default:
      return new SampleError('unwritable', { reason: (error as Error).message, cause: error });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
