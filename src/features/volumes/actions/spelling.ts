import type { S3Files } from '../../../client/s3/s3Files.ts';
import { exists, isFolder, type Options } from './fileTree.ts';

/**
 * Returns whether two different keys address the same file or folder. File systems that ignore case, as those of macOS and Windows, have
 * one file for all spellings of a key. A listing has only the spelling that the file was created with.
 */
export async function isSameFile(files: S3Files, from: string, to: string, options?: Options): Promise<boolean> {
  if (from === to || folded(from) !== folded(to)) return from === to;
  if (!(await exists(files, to, options)) && !(await isFolder(files, to, options))) return false;
  const [source, target] = [from.split('/'), to.split('/')];
  for (const [index, name] of target.entries())
    if (name !== source[index] && !(await isListed(files, target.slice(0, index + 1).join('/'), options))) return true;
  return false;
}

/** Returns whether a key leads into a folder, or is the folder itself. */
export async function isInside(files: S3Files, key: string, folder: string, options?: Options): Promise<boolean> {
  const start = key.split('/').slice(0, folder.split('/').length).join('/');
  return isSameFile(files, folder, start, options);
}

const folded = (key: string): string => key.normalize('NFC').toLowerCase();

async function isListed(files: S3Files, key: string, options?: Options): Promise<boolean> {
  for await (const { objects, directories } of files.pages(key, {}, options))
    if (objects.some((one) => one.key === key) || directories.includes(`${key}/`)) return true;
  return false;
}
