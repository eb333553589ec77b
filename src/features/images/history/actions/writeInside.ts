import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';

/** Thrown for a folder that leads out of the folder that should contain it, such as through a symbolic link. */
export class OutsideError extends Error {
  constructor() {
    super(l10n.t('the folder leads out of its parent'));
    this.name = 'OutsideError';
  }
}

/** Maximum number of names that are tried. */
const MAX_NAMES = 10_000;

/**
 * Writes a new file with the first free name. Never replaces a file, and never writes outside of the root, not even through links.
 *
 * @param root folder that must contain the file
 * @param segments folder relative to the root, which is created
 * @returns the path of the file
 * @throws OutsideError, or the error of the file system
 */
export async function writeInside(
  root: string,
  segments: readonly string[],
  names: Iterable<string>,
  bytes: Uint8Array,
): Promise<string> {
  const realRoot = await realpath(root);
  const folder = path.join(root, ...segments);
  // A link is followed only to check its target. Folders are created after the check, and a new folder is no link.
  if (!contains(realRoot, await existingPart(folder))) throw new OutsideError();
  await mkdir(folder, { recursive: true });
  if (!contains(realRoot, await realpath(folder))) throw new OutsideError();
  let tried = 0;
  for (const name of names) {
    const file = path.join(folder, name);
    try {
      await writeFile(file, bytes, { flag: 'wx' });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || ++tried >= MAX_NAMES) throw error;
    }
  }
  throw new Error(l10n.t('no file name is available'));
}

/** Returns the real path of the deepest part of a path that exists. */
async function existingPart(folder: string): Promise<string> {
  for (let part = folder; ; part = path.dirname(part)) {
    try {
      return await realpath(part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path.dirname(part) === part) throw error;
    }
  }
}

function contains(root: string, inner: string): boolean {
  const relative = path.relative(root, inner);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}
