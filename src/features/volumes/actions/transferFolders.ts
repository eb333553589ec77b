import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { S3Files } from '../../../client/s3/s3Files.ts';
import { downloadFile } from './downloadFile.ts';
import { TransferError } from './transferError.ts';
import { uploadFile, type TransferOptions } from './uploadFile.ts';

export interface Progress {
  /** Number of files that are complete. */
  readonly files: number;
  readonly totalFiles: number;
  /** In bytes. */
  readonly bytes: number;
  readonly totalBytes: number;
}

interface Options {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface Transfer {
  readonly size: number;
  readonly run: (options: TransferOptions) => Promise<void>;
}

/**
 * Uploads files and folders with what they contain to a folder of the volume. Follows no symbolic links inside of folders, which could form
 * a circle.
 *
 * @param prefix the folder's key, with a slash at its end, or an empty string
 * @returns the number of files
 * @throws the errors of `uploadFile`, for the first file that fails
 */
export async function uploadAll(files: S3Files, sources: readonly string[], prefix: string, options: Options) {
  const transfers: Transfer[] = [];
  const add = async (source: string, key: string): Promise<void> => {
    options.signal.throwIfAborted();
    const facts = await stat(source);
    if (!facts.isDirectory()) {
      transfers.push({ size: facts.size, run: (given) => uploadFile(files, source, key, given) });
      return;
    }
    const entries = await readdir(source, { withFileTypes: true });
    if (entries.length === 0)
      transfers.push({
        size: 0,
        run: async ({ signal }) => void (await files.put(`${key}/`, new Uint8Array(), undefined, { signal })),
      });
    for (const entry of entries)
      if (entry.isFile() || entry.isDirectory()) await add(path.join(source, entry.name), `${key}/${entry.name}`);
  };
  for (const source of sources) await add(source, prefix + path.basename(source));
  return runAll(transfers, options);
}

/**
 * Downloads an object, or all objects of a folder, into a local folder.
 *
 * @param key of an object, or of a folder with a slash at its end. An empty string is the whole volume
 * @returns the number of files
 * @throws the errors of `downloadFile`, for the first file that fails; TransferError for a key that is no path below the folder
 */
export async function downloadAll(files: S3Files, key: string, folder: string, options: Options): Promise<number> {
  const transfers: Transfer[] = [];
  // The name of the folder itself stays.
  const above = key.slice(0, key.replace(/\/$/, '').lastIndexOf('/') + 1);
  const add = (one: string, size: number): void => {
    const target = placeOf(folder, one.slice(above.length));
    transfers.push({ size, run: (given) => downloadFile(files, one, target, given) });
  };
  if (key !== '' && !key.endsWith('/')) add(key, (await files.head(key, options)).size);
  else
    for await (const page of files.pages(key, { flat: true }, options))
      for (const object of page.objects) if (!object.key.endsWith('/')) add(object.key, object.size);
  return runAll(transfers, options);
}

/** Returns the file of a key below a folder. A key comes from a service, so it must not lead out of the folder. */
function placeOf(folder: string, key: string): string {
  const place = path.join(folder, ...key.split('/'));
  if (path.relative(folder, place).split(path.sep)[0] === '..' || place === path.normalize(folder))
    throw new TransferError('notPath', key);
  return place;
}

async function runAll(transfers: readonly Transfer[], { signal, onProgress }: Options): Promise<number> {
  const totalBytes = transfers.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  let files = 0;
  const report = () => onProgress?.({ files, totalFiles: transfers.length, bytes, totalBytes });
  report();
  for (const { run } of transfers) {
    signal.throwIfAborted();
    await run({
      signal,
      onBytes: (more) => {
        bytes += more;
        report();
      },
    });
    files++;
    report();
  }
  return files;
}
