import { holdDirectory, type HeldDirectory } from './heldDirectory.ts';
import { compareKeys } from './objectKey.ts';
import { indexAfter } from './sortedDirectories.ts';
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
  const all = await files.directories.read(held);
  if (all.length === 0 && base !== '' && base.startsWith(prefix) && compareKeys(base, after) > 0) {
    yield await describeDirectory(held, base);
  }
  for (let index = firstIndex(all, base, query); index < all.length; index += TOGETHER) {
    const group = all.slice(index, index + TOGETHER).map((name) => ({ name, key: base + name }));
    const described = await Promise.all(
      group.map(({ name, key }) =>
        isDirectory(name) || !key.startsWith(prefix)
          ? Promise.resolve(undefined)
          : files.describeEntry(root, held, name, key),
      ),
    );
    for (const [at, { name, key }] of group.entries()) {
      const object = described[at];
      if (object) yield object;
      const hasKeys = key.startsWith(prefix) || (isDirectory(name) && prefix.startsWith(key));
      // Keys with the prefix follow each other.
      if (!hasKeys && compareKeys(key, prefix) > 0) return;
      if (!hasKeys || !isDirectory(name)) continue;
      if (delimiter === '/' && key.length > prefix.length) yield key;
      else yield* walk(files, root, [...names, name.slice(0, -1)], query);
    }
  }
}

const isDirectory = (name: string): boolean => name.endsWith('/');

/** Returns the index of the first entry of a directory that can have keys after `after` and with the prefix. */
function firstIndex(names: readonly string[], base: string, { after, prefix }: ListingQuery): number {
  const starts = [after, prefix].map((key) => {
    if (!key.startsWith(base)) return compareKeys(key, base) < 0 ? 0 : names.length;
    const rest = key.slice(base.length);
    const index = indexAfter(names, rest);
    const before = names[index - 1];
    // A directory precedes the keys in it, and a prefix can be a whole key.
    const isOpen =
      before !== undefined && ((isDirectory(before) && rest.startsWith(before)) || (key === prefix && before === rest));
    return isOpen ? index - 1 : index;
  });
  return Math.max(...starts);
}
