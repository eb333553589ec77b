import pMap from 'p-map';
import { LONGEST_MANIFEST } from '../model/text/bounds.ts';
import type { UnreadableReason } from '../model/deployment/deploymentPlan.ts';

/* Reads the manifests and other files of a folder. */

/** An entry of a folder. A link to a folder is not followed, because links can form a cycle. */
export interface Entry<Place> {
  readonly name: string;
  readonly place: Place;
  readonly kind: 'file' | 'folder' | 'linkToFolder' | 'other';
}

/** A file system. */
export interface FileTree<Place> {
  list(folder: Place): Promise<readonly Entry<Place>[]>;
  /** Size of a file in bytes. */
  size(file: Place): Promise<number>;
  read(file: Place): Promise<Uint8Array>;
  /** Text of an open editor with unsaved changes. */
  unsaved(file: Place): string | undefined;
}

/** A file of a folder. */
export interface FoundFile<Place> {
  readonly place: Place;
  /** Path relative to the folder, with slashes. */
  readonly path: string;
  readonly content: { readonly text: string } | { readonly unreadable: UnreadableReason; readonly error?: unknown };
}

export type FoundManifest<Place> = FoundFile<Place>;

/** The files to read. */
export interface WantedFiles {
  readonly name: RegExp;
  readonly maxBytes: number;
}

const MANIFEST_NAME = /\.endpoint\.(ya?ml|json)$/;
const SKIPPED = ['node_modules', '.git'];
/** Maximum number of folders or files that are read at the same time. */
const CONCURRENCY = 8;
/** Maximum size of a manifest in bytes. A character has at most four bytes. */
const LARGEST = 4 * LONGEST_MANIFEST;

/**
 * Reads all manifests in a folder and its subfolders, in the order of their paths.
 *
 * @throws the error of the file system if the folder itself cannot be read, and the reason of the signal
 */
export function readManifests<Place>(
  tree: FileTree<Place>,
  folder: Place,
  signal: AbortSignal,
): Promise<readonly FoundManifest<Place>[]> {
  return readFiles(tree, folder, { name: MANIFEST_NAME, maxBytes: LARGEST }, signal);
}

/** Reads one manifest. */
export function readManifest<Place>(tree: FileTree<Place>, place: Place): Promise<FoundFile<Place>['content']> {
  return contentOf(tree, { place, kind: 'file' }, LARGEST);
}

/**
 * Reads the wanted files in a folder and its subfolders, in the order of their paths. Skips `node_modules` and `.git`. A file without text
 * has the reason. An unreadable subfolder has no files.
 *
 * @throws the error of the file system if the folder itself cannot be read, and the reason of the signal
 */
export async function readFiles<Place>(
  tree: FileTree<Place>,
  folder: Place,
  { name: wantedName, maxBytes }: WantedFiles,
  signal: AbortSignal,
): Promise<readonly FoundFile<Place>[]> {
  const found: { readonly entry: Entry<Place>; readonly path: string }[] = [];
  let folders: { readonly place: Place; readonly path: string }[] = [{ place: folder, path: '' }];
  while (folders.length > 0) {
    const listed = await pMap(
      folders,
      async ({ place, path }) => {
        signal.throwIfAborted();
        // Only the folder itself must be readable.
        const entries = path === '' ? await tree.list(place) : await tree.list(place).catch(() => []);
        return entries.map((entry) => ({ entry, path: path + entry.name }));
      },
      { concurrency: CONCURRENCY },
    );
    const entries = listed.flat();
    found.push(...entries.filter(({ entry }) => wantedName.test(entry.name)));
    folders = entries
      .filter(({ entry: { name, kind } }) => kind === 'folder' && !wantedName.test(name) && !SKIPPED.includes(name))
      .map(({ entry, path }) => ({ place: entry.place, path: `${path}/` }));
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  return pMap(
    found,
    async ({ entry, path }) => {
      signal.throwIfAborted();
      return { place: entry.place, path, content: await contentOf(tree, entry, maxBytes) };
    },
    { concurrency: CONCURRENCY },
  );
}

async function contentOf<Place>(
  tree: FileTree<Place>,
  { place, kind }: Pick<Entry<Place>, 'place' | 'kind'>,
  maxBytes: number,
): Promise<FoundFile<Place>['content']> {
  if (kind === 'folder' || kind === 'linkToFolder') return { unreadable: 'folder' };
  const unsaved = tree.unsaved(place);
  if (unsaved !== undefined) return { text: unsaved };
  try {
    if ((await tree.size(place)) > maxBytes) return { unreadable: 'tooLarge' };
    const text = decoded(await tree.read(place));
    return text === undefined ? { unreadable: 'notText' } : { text };
  } catch (error) {
    return { unreadable: 'unreadable', error };
  }
}

/** Decodes UTF-8, or the encoding of the byte order mark, which is removed. Returns undefined for bytes that are not text. */
function decoded(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
