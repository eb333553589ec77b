import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dirent } from 'node:fs';
import type { RequestFiles } from '../features/requests/actions/requestBody.ts';
import type { Entry, FileTree } from '../features/manifest/actions/readManifests.ts';
import { CannotRunError } from './program/exitCodes.ts';

/** Returns the absolute path of a folder. @throws CannotRunError if there is none */
export async function folderAt(given: string): Promise<string> {
  const folder = path.resolve(given);
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return folder;
  throw new CannotRunError(`the folder ${given} does not exist`);
}

/** The file system of this machine. */
export const localFiles: FileTree<string> = {
  list: async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true });
    return Promise.all(
      entries.map(async (entry) => {
        const place = path.join(folder, entry.name);
        return { name: entry.name, place, kind: await kindOf(entry, place) };
      }),
    );
  },
  size: async (file) => (await stat(file)).size,
  read: (file) => readFile(file),
  unsaved: () => undefined,
};

async function kindOf(entry: Dirent, place: string): Promise<Entry<string>['kind']> {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  if (!entry.isSymbolicLink()) return 'other';
  const target = await stat(place).catch(() => undefined);
  if (target?.isDirectory()) return 'linkToFolder';
  return target?.isFile() ? 'file' : 'other';
}

/** Returns the files that the requests of a file refer to. @param uri `file:` URI of the request file */
export function filesBeside(uri: string): RequestFiles {
  const resolved = (file: string) => path.resolve(path.dirname(fileURLToPath(uri)), file);
  return {
    size: async (file) => (await stat(resolved(file))).size,
    read: async (file) => new Uint8Array(await readFile(resolved(file))),
  };
}

const MAX_SCHEMA_BYTES = 10 * 1_048_576;

/** Reads the text of a `file:` URI, such as that of a JSON schema. */
export async function readLocalText(uri: string): Promise<string> {
  const file = fileURLToPath(uri);
  if ((await stat(file)).size > MAX_SCHEMA_BYTES) throw new Error(`${file} is larger than ${MAX_SCHEMA_BYTES} bytes`);
  return readFile(file, 'utf8');
}
