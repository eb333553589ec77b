import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import type { ObjectFacts, S3Files } from '../../../client/s3/s3Files.ts';
import { copyFile } from './copyFile.ts';

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
