import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import type { S3Files } from '../../../client/s3/s3Files.ts';

/* Files and folders of a volume. A key is a path without a slash at its start; a folder's key has none at its end. */

export interface Options {
  readonly signal?: AbortSignal | undefined;
}

const CONCURRENCY = 8;

/** Returns whether a file exists. */
export async function exists(files: S3Files, key: string, options?: Options): Promise<boolean> {
  try {
    await files.head(key, options);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return false;
    throw error;
  }
}

/** Returns whether a folder exists: an object for itself, or objects below. */
export async function isFolder(files: S3Files, key: string, options?: Options): Promise<boolean> {
  const { objects, directories } = await files.list(`${key}/`, { maxKeys: 1 }, options);
  return objects.length + directories.length > 0;
}

/** Deletes everything below a folder, and the folder itself, deepest keys first. */
export async function deleteFolder(files: S3Files, key: string, options?: Options): Promise<void> {
  const keys = await keysBelow(files, key, options);
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
  const keys = await keysBelow(files, from, options);
  await pMap(
    keys,
    async (one) => {
      const target = `${to}/${one.slice(from.length + 1)}`;
      if (one.endsWith('/')) await files.put(target, new Uint8Array(), undefined, options);
      else await files.copy(one, target, undefined, options);
    },
    { concurrency: CONCURRENCY },
  );
}

/** Returns the keys below a folder, including those of folders. A volume has folders without an object of their own. */
async function keysBelow(files: S3Files, key: string, options?: Options): Promise<readonly string[]> {
  const all = new Set([`${key}/`]);
  for await (const page of files.pages(`${key}/`, { flat: true }, options))
    for (const object of page.objects) {
      all.add(object.key);
      for (let at = object.key.indexOf('/', key.length + 1); at >= 0; at = object.key.indexOf('/', at + 1))
        all.add(object.key.slice(0, at + 1));
    }
  return [...all];
}
