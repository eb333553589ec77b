import type { Listing, S3Files } from '../../../client/s3/s3Files.ts';
import type { Options } from './fileTree.ts';

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
