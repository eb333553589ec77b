import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { digestOf } from '../../model/deployment/journal.ts';
import { RECORDINGS_SUFFIX } from '../../model/deployment/recordingsFolder.ts';
import { git } from './git.ts';

/* The content that a gate is about: a manifest and the files of its worker. */

/** Folders that are no sources. They count if no git repository says which files are ignored. */
const NO_SOURCES = new Set(['.git', 'node_modules', '__pycache__', '.venv', 'venv']);

const WithDirectory = z.looseObject({ 'x-local': z.looseObject({ directory: z.string() }) });

/**
 * Returns the SHA-256 of an endpoint of a manifest, with all its sections, and of the files in the directory of its worker. Files that git
 * ignores and recordings do not count.
 *
 * @param value the endpoint as the file has it, without an environment
 * @param folder path of the manifest's folder
 * @throws the errors of the file system
 */
export async function contentHash(value: unknown, folder: string, signal?: AbortSignal): Promise<string> {
  const directory = WithDirectory.safeParse(value).data?.['x-local'].directory;
  const files = directory === undefined ? [] : await hashesIn(path.resolve(folder, directory), signal);
  return digestOf([value, files]);
}

async function hashesIn(directory: string, signal: AbortSignal | undefined) {
  const names = (await trackedFiles(directory, signal)) ?? (await filesIn(directory, ''));
  const hashes: (readonly [string, string])[] = [];
  for (const name of names.toSorted()) {
    signal?.throwIfAborted();
    if (name.split('/').some((part) => part.endsWith(RECORDINGS_SUFFIX))) continue;
    const hash = await hashOf(path.join(directory, name));
    if (hash !== undefined) hashes.push([name, hash]);
  }
  return hashes;
}

/** Returns the files of a directory that git does not ignore. Undefined if there is no repository. */
async function trackedFiles(
  directory: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  try {
    const output = await git(directory, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], signal);
    return [...new Set(output.split('\0').filter((name) => name !== ''))];
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const name = path.posix.join(folder, entry.name);
      if (!entry.isDirectory()) return [name];
      return NO_SOURCES.has(entry.name) ? [] : filesIn(root, name);
    }),
  );
  return found.flat();
}

/** Returns the hash of a file or of the target of a link. Undefined for a deleted file, and for a folder such as a submodule. */
async function hashOf(file: string): Promise<string | undefined> {
  const facts = await lstat(file).catch(() => undefined);
  if (facts?.isSymbolicLink() === true)
    return createHash('sha256')
      .update(`link ${await readlink(file)}`)
      .digest('hex');
  if (facts?.isFile() !== true) return undefined;
  const hash = createHash('sha256').update(`${(facts.mode & 0o100) === 0 ? 'file' : 'program'} `);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
