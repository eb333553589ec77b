import { lstat, readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import type { Clock } from '../time/clock.ts';
import type { HeldDirectory } from './heldDirectory.ts';
import { compareKeys } from './objectKey.ts';

/** Number of entries from which a directory is remembered. Smaller ones are read fast. */
const MIN_ENTRIES = 2_000;
/** Time for which a directory is remembered after its last use, in ms. */
const LIFETIME_MS = 30_000;
/** Age that a change of a directory must have when it is read, in ms. A change in the same step of the clock of the file system is not seen. */
const SETTLED_MS = 1_000;

interface Remembered {
  readonly inode: bigint;
  readonly changedAt: bigint;
  readonly names: readonly string[];
}

/**
 * Sorted entries of directories. Remembers the last large one, so that the pages of a listing do not read it again. A remembered directory is
 * used only while no entry was added, renamed, or removed.
 */
export class SortedDirectories {
  readonly #clock: Clock | undefined;
  #last: Remembered | undefined;
  #cancel: (() => void) | undefined;

  /** @param clock real time. Without it, nothing is remembered */
  constructor(clock: Clock | undefined) {
    this.#clock = clock;
  }

  /** Returns the names of files, links, and directories in the order of keys. The name of a directory ends with a slash. */
  async read(held: HeldDirectory): Promise<readonly string[]> {
    const found = await lstat(held.at('.'), { bigint: true }).catch(() => undefined);
    const last = this.#last;
    if (found && last && last.inode === found.ino && last.changedAt === found.mtimeNs) {
      this.#keep(last);
      return last.names;
    }
    const readAt = this.#clock?.now() ?? 0;
    const entries = await readdir(held.path, { withFileTypes: true }).catch((): Dirent[] => []);
    const names = entries.flatMap((entry) =>
      entry.isDirectory() ? [`${entry.name}/`] : entry.isFile() || entry.isSymbolicLink() ? [entry.name] : [],
    );
    names.sort(compareKeys);
    if (found && names.length >= MIN_ENTRIES && readAt - Number(found.mtimeMs) > SETTLED_MS)
      this.#keep({ inode: found.ino, changedAt: found.mtimeNs, names });
    return names;
  }

  #keep(directory: Remembered): void {
    this.#cancel?.();
    this.#last = directory;
    this.#cancel = this.#clock?.after(LIFETIME_MS, () => this.forget());
  }

  forget(): void {
    this.#cancel?.();
    this.#last = this.#cancel = undefined;
  }
}

/** Returns the index of the first name that follows a key in the order of keys. */
export function indexAfter(names: readonly string[], key: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(names[middle] ?? '', key) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
