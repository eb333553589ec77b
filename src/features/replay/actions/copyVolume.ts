import { constants, createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, opendir, readlink, realpath, statfs, symlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as l10n from '@vscode/l10n';
import { volumeDataSize } from '../../../text/quantities.ts';
import { ReplayError } from './replayError.ts';

/* Copies of volumes. The original is only read. */

/** Part of the free space of a disk that a copy may use. */
const USABLE = 0.9;

export interface DirectorySize {
  readonly bytes: number;
  readonly files: number;
}

/** Measures the files of a directory. @throws the error of the file system, and the reason of the signal */
export async function measureDirectory(directory: string, signal: AbortSignal): Promise<DirectorySize> {
  let bytes = 0;
  let files = 0;
  for await (const { from, isFile } of entriesOf(directory, directory, signal)) {
    if (!isFile) continue;
    files++;
    bytes += (await lstat(from)).size;
  }
  return { bytes, files };
}

/**
 * Copies a directory, with clones of its files if the file system supports copy-on-write. Links inside the directory lead to the copy. Sockets and
 * devices are omitted.
 *
 * @throws ReplayError if the directory cannot be read or its copy does not fit; the reason of the signal
 */
export async function copyVolume(from: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    await mkdir(to, { recursive: true, mode: 0o700 });
    await checkSpace(from, to, signal);
    const root = await realpath(from);
    for await (const entry of entriesOf(root, to, signal)) await copyEntry(entry, { root, to }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ReplayError) throw error;
    throw new ReplayError('volumeUnreadable', (error as Error).message, { cause: error });
  }
}

async function checkSpace(from: string, to: string, signal: AbortSignal): Promise<void> {
  const { bytes } = await measureDirectory(from, signal);
  const { bavail, bsize } = await statfs(to);
  const free = bavail * bsize;
  if (bytes > free * USABLE)
    throw new ReplayError(
      'volumeTooLarge',
      l10n.t`the volume has ${volumeDataSize(bytes)}, and ${volumeDataSize(free)} are free`,
    );
}

interface DirectoryEntry {
  readonly from: string;
  readonly to: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isLink: boolean;
}

/** Yields the entries of a directory, each directory before its contents. Links are not followed. */
async function* entriesOf(from: string, to: string, signal: AbortSignal): AsyncGenerator<DirectoryEntry> {
  for await (const entry of await opendir(from)) {
    signal.throwIfAborted();
    const places = { from: path.join(from, entry.name), to: path.join(to, entry.name) };
    const isDirectory = entry.isDirectory();
    yield { ...places, isDirectory, isFile: entry.isFile(), isLink: entry.isSymbolicLink() };
    if (isDirectory) yield* entriesOf(places.from, places.to, signal);
  }
}

async function copyEntry(
  { from, to, isFile, isDirectory, isLink }: DirectoryEntry,
  copy: { readonly root: string; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  if (isDirectory) await mkdir(to);
  else if (isLink) await symlink(linkInCopy(await readlink(from), copy), to);
  else if (isFile) await copyContents(from, to, signal);
}

/** A link with an absolute path into the original would let a worker write there. */
function linkInCopy(target: string, { root, to }: { readonly root: string; readonly to: string }): string {
  const inside = path.isAbsolute(target) ? path.relative(root, target) : undefined;
  return inside === undefined || inside.startsWith('..') || path.isAbsolute(inside) ? target : path.join(to, inside);
}

/** A copy of a large file can be canceled. A clone takes no time. */
async function copyContents(from: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    await pipeline(createReadStream(from), createWriteStream(to), { signal });
    await chmod(to, (await lstat(from)).mode & 0o777);
  }
}
