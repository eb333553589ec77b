import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import { type ObjectFacts, S3Files, type Listing } from '../../../client/s3/s3Files.ts';
import { copyFile } from './copyFile.ts';
import type { Clock } from '../../../client/clock.ts';
import type { S3Access } from '../../../client/s3/s3Connection.ts';
import type { NetworkVolume } from '../../../contract/networkVolume.ts';

/* Files and folders of a volume. A key is a path without a slash at its start; a folder's key has none at its end. */

export interface Options {
  readonly signal?: AbortSignal | undefined;
}

const CONCURRENCY = 8;

/** Returns the size, the time, and the ETag of a file; undefined if there is none. */
export async function find(files: S3Files, key: string, options?: Options): Promise<ObjectFacts | undefined> {
  try {
    return await files.head(key, options);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

export async function exists(files: S3Files, key: string, options?: Options): Promise<boolean> {
  return (await find(files, key, options)) !== undefined;
}

/** Returns whether a folder exists: an object for itself, or objects below. */
export async function isFolder(files: S3Files, key: string, options?: Options): Promise<boolean> {
  const { objects, directories } = await files.list(`${key}/`, { maxKeys: 1 }, options);
  return objects.length + directories.length > 0;
}

/** Deletes everything below a folder, and the folder itself, deepest keys first. */
export async function deleteFolder(files: S3Files, key: string, options?: Options): Promise<void> {
  const keys = [...(await entriesBelow(files, key, options)).keys()];
  await pMap(
    keys.filter((one) => !one.endsWith('/')),
    (one) => files.delete(one, options),
    { concurrency: CONCURRENCY },
  );
  const folders = keys.filter((one) => one.endsWith('/')).sort((a, b) => b.length - a.length);
  for (const folder of folders) await files.delete(folder, options);
}

/** Copies everything below a folder, and the folder itself. */
export async function copyFolder(files: S3Files, from: string, to: string, options?: Options): Promise<void> {
  await pMap(
    await entriesBelow(files, from, options),
    async ([key, facts]) => {
      const target = `${to}/${key.slice(from.length + 1)}`;
      if (facts) await copyFile(files, { key, ...facts }, target, options);
      else await files.put(target, new Uint8Array(), undefined, options);
    },
    { concurrency: CONCURRENCY },
  );
}

/**
 * Returns the keys below a folder, each with the size, the time, and the ETag of its file, or with undefined for a folder. The folder itself
 * is one of them. A volume has folders without an object of their own.
 */
async function entriesBelow(
  files: S3Files,
  key: string,
  options?: Options,
): Promise<ReadonlyMap<string, ObjectFacts | undefined>> {
  const all = new Map<string, ObjectFacts | undefined>([[`${key}/`, undefined]]);
  for await (const page of files.pages(`${key}/`, { flat: true }, options))
    for (const object of page.objects) {
      all.set(object.key, object.key.endsWith('/') ? undefined : object);
      for (let at = object.key.indexOf('/', key.length + 1); at >= 0; at = object.key.indexOf('/', at + 1))
        all.set(object.key.slice(0, at + 1), undefined);
    }
  return all;
}

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

/** A file or a folder in a listing. */
export interface Entry {
  /** Path in the volume. That of a folder ends with a slash. */
  readonly path: string;
  /** In bytes. Undefined for a folder. */
  readonly size: number | undefined;
  /** ms since the epoch. Undefined for a folder. */
  readonly modifiedAt: number | undefined;
}

/**
 * Yields the files and folders of a folder in the order of their paths, page by page.
 *
 * @param folder with a slash at its end, or an empty string for the whole volume
 * @param flat whether the files of all folders below are listed, in place of the folders
 * @throws ApiError
 */
export async function* listFolder(
  files: S3Files,
  folder: string,
  { flat = false }: { readonly flat?: boolean | undefined } = {},
  options?: Options,
): AsyncGenerator<readonly Entry[]> {
  for await (const page of files.pages(folder, { flat }, options)) yield entriesIn(page, folder);
}

/** Returns the entries of a page of a listing. The object of the folder itself is not one of them. */
export function entriesIn({ objects, directories }: Listing, folder: string): readonly Entry[] {
  const entries: Entry[] = [
    ...objects
      .filter(({ key }) => key !== folder)
      .map(({ key, size, modifiedAt }) =>
        key.endsWith('/') ? { path: key, size: undefined, modifiedAt: undefined } : { path: key, size, modifiedAt },
      ),
    ...directories.map((path) => ({ path, size: undefined, modifiedAt: undefined })),
  ];
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns a client of the files of a volume, with the global fetch, which uses the user's proxy and certificates. */
export function filesOf(
  { clock }: { readonly clock: Clock },
  access: S3Access,
  bucket: Pick<NetworkVolume, 'id' | 'dataCenter'>,
): S3Files {
  return new S3Files({ fetch: globalThis.fetch, clock, random: Math.random, onWait: undefined, access, bucket });
}
