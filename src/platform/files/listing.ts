import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { holdDirectory, type HeldDirectory } from './heldDirectory.ts';
import { compareKeys } from './objectKey.ts';
import { describeDirectory, type StoredObject, type VolumeFiles } from './volumeFiles.ts';

export interface ListingQuery {
  readonly prefix: string;
  /** Keys with this text after the prefix are combined to one prefix. Empty for none. */
  readonly delimiter: string;
  /** Keys and prefixes up to this one are left out. */
  readonly after: string;
  /** Maximum number of keys and prefixes. */
  readonly limit: number;
}

export interface Listing {
  readonly objects: readonly StoredObject[];
  readonly prefixes: readonly string[];
  /** The last key or prefix, if more follow. */
  readonly next: string | undefined;
}

/** Lists objects in the order of the bytes of their keys. Reads only directories that can contain objects of the page. */
export async function listObjects(files: VolumeFiles, query: ListingQuery): Promise<Listing> {
  const objects: StoredObject[] = [];
  const prefixes: string[] = [];
  let last: string | undefined;
  for await (const found of walk(files, await files.root(), [], query)) {
    const entry = typeof found === 'string' ? found : prefixOf(found.key, query);
    const name = entry ?? (found as StoredObject).key;
    if (entry !== undefined && (entry === prefixes.at(-1) || compareKeys(entry, query.after) <= 0)) continue;
    if (objects.length + prefixes.length === query.limit) return { objects, prefixes, next: last };
    if (entry === undefined) objects.push(found as StoredObject);
    else prefixes.push(entry);
    last = name;
  }
  return { objects, prefixes, next: undefined };
}

/** Returns the common prefix that stands for a key. */
export function prefixOf(
  key: string,
  { prefix, delimiter }: Pick<ListingQuery, 'prefix' | 'delimiter'>,
): string | undefined {
  if (delimiter === '') return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : key.slice(0, at + delimiter.length);
}

/** Number of files that are described at the same time. */
const TOGETHER = 64;

/** Yields objects, and the common prefixes of directories that need not be read. */
async function* walk(
  files: VolumeFiles,
  root: string,
  names: readonly string[],
  query: ListingQuery,
): AsyncGenerator<StoredObject | string> {
  // A directory that cannot be read, or is exchanged for a link at the same time, contains no objects.
  const held = await holdDirectory(root, names).catch(() => undefined);
  if (!held) return;
  try {
    yield* walkHeld(files, root, names, { held, query });
  } finally {
    await held.close();
  }
}

async function* walkHeld(
  files: VolumeFiles,
  root: string,
  names: readonly string[],
  { held, query }: { readonly held: HeldDirectory; readonly query: ListingQuery },
): AsyncGenerator<StoredObject | string> {
  const { prefix, delimiter, after } = query;
  const base = names.map((name) => `${name}/`).join('');
  const all = (await readdir(held.path, { withFileTypes: true }).catch((): Dirent[] => [])).filter(isListed);
  if (all.length === 0 && base !== '' && base.startsWith(prefix) && compareKeys(base, after) > 0) {
    yield await describeDirectory(held, base);
  }
  const entries = all
    .map((entry) => ({ entry, key: base + entry.name + (entry.isDirectory() ? '/' : '') }))
    .filter(({ entry, key }) =>
      entry.isDirectory()
        ? (key.startsWith(prefix) || prefix.startsWith(key)) && (after.startsWith(key) || compareKeys(key, after) > 0)
        : key.startsWith(prefix) && compareKeys(key, after) > 0,
    )
    .sort((one, other) => compareKeys(one.key, other.key));
  for (let start = 0; start < entries.length; start += TOGETHER) {
    const group = entries.slice(start, start + TOGETHER);
    const described = await Promise.all(
      group.map(({ entry, key }) =>
        entry.isDirectory() ? Promise.resolve(undefined) : files.describeEntry(root, held, entry.name, key),
      ),
    );
    for (const [index, { entry, key }] of group.entries()) {
      const object = described[index];
      if (object) yield object;
      if (!entry.isDirectory()) continue;
      if (delimiter === '/' && key.startsWith(prefix) && key.length > prefix.length) yield key;
      else yield* walk(files, root, [...names, entry.name], query);
    }
  }
}

const isListed = (entry: Dirent): boolean => entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
