import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/*
 * Access to directories that workers change at the same time. A worker could replace a directory by a link that leads out of the volume,
 * between the check of a path and its use. On Linux, a directory is therefore opened, its real path is read from the open file, and its
 * entries are reached through the open file. Elsewhere, the real path is checked immediately before each use, so that a program on the same
 * machine could still exchange a directory in between.
 */

const OPEN_FILES = '/proc/self/fd';
const hasOpenFiles = process.platform === 'linux' && existsSync(OPEN_FILES);

/** Windows lacks some of these flags, which then count as 0. */
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A directory of a volume that cannot be exchanged for another one while it is held. */
export interface HeldDirectory {
  /** Returns the path of an entry. */
  at(name: string): string;
  /** Path for reading the entries. */
  readonly path: string;
  /** Brings new, renamed, and removed entries to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown if a part of a path is a file or a link. */
export class BlockedPath extends Error {}

/**
 * Opens a directory below a root; undefined if it does not exist.
 *
 * @param root real path. @param names names of the directories below it
 * @throws BlockedPath; the file system's error
 */
export async function holdDirectory(root: string, names: readonly string[]): Promise<HeldDirectory | undefined> {
  const directory = path.join(root, ...names);
  try {
    return hasOpenFiles ? await heldByFile(directory) : await heldByPath(directory);
  } catch (error) {
    if (error instanceof BlockedPath) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR' || code === 'ELOOP') throw new BlockedPath(directory);
    throw error;
  }
}

/** Opens a directory, and creates it with its parents if necessary. @throws BlockedPath; the file system's error */
export async function makeDirectory(root: string, names: readonly string[]): Promise<HeldDirectory> {
  const found = await holdDirectory(root, names);
  if (found) return found;
  const name = names.at(-1);
  if (name === undefined) throw new Error(`${root} does not exist`);
  const parent = await makeDirectory(root, names.slice(0, -1));
  try {
    await mkdir(parent.at(name)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    await parent.sync();
  } finally {
    await parent.close();
  }
  const made = await holdDirectory(root, names);
  if (!made) throw Object.assign(new Error(`${name} was removed`), { code: 'ENOENT' });
  return made;
}

async function heldByFile(directory: string): Promise<HeldDirectory> {
  const handle = await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const found = await pathOf(handle);
    if (found === `${directory} (deleted)`) throw Object.assign(new Error('removed'), { code: 'ENOENT' });
    if (found !== directory) throw new BlockedPath(directory);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const own = `${OPEN_FILES}/${handle.fd}`;
  return { path: own, at: (name) => `${own}/${name}`, sync: () => handle.sync(), close: () => handle.close() };
}

async function heldByPath(directory: string): Promise<HeldDirectory> {
  if ((await realpath(directory)) !== directory) throw new BlockedPath(directory);
  if (!(await lstat(directory)).isDirectory()) throw new BlockedPath(directory);
  return {
    path: directory,
    at: (name) => path.join(directory, name),
    sync: () => syncDirectory(directory),
    close: () => Promise.resolve(),
  };
}

/** Brings the entries of a directory to disk. Windows neither supports nor needs this. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const pathOf = (handle: FileHandle): Promise<string> => readlink(`${OPEN_FILES}/${handle.fd}`);

/**
 * Opens a regular file for reading, or the file inside the root that a link names; undefined if there is none. It is never a pipe or a device,
 * whose opening would block or have effects.
 *
 * @throws the file system's error, such as EACCES
 */
export async function openFile(root: string, held: HeldDirectory, name: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    const entry = held.at(name);
    const link = (await lstat(entry)).isSymbolicLink();
    const target = link ? await realpath(entry) : entry;
    if (link && !isInside(root, target)) return undefined;
    // Opening a device can have effects, so the kind is checked before, and again on the open file.
    if (!(await lstat(target)).isFile()) return undefined;
    handle = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const isSame = await isStill(handle, link ? target : undefined);
    if (isSame && (await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle?.close();
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return undefined;
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Whether the open file is the one at the path, without links on the way. @param target undefined for an entry of a held directory */
async function isStill(handle: FileHandle, target: string | undefined): Promise<boolean> {
  if (target === undefined) return true;
  if (hasOpenFiles) return (await pathOf(handle)) === target;
  if ((await realpath(target)) !== target) return false;
  const [opened, there] = await Promise.all([handle.stat({ bigint: true }), lstat(target, { bigint: true })]);
  return opened.ino === there.ino && opened.dev === there.dev;
}

const isInside = (root: string, target: string): boolean => target.startsWith(root + path.sep);
