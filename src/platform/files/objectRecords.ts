import { createHash } from 'node:crypto';
import { mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { syncDirectory } from './heldDirectory.ts';
import { newToken } from '../ids.ts';

/*
 * Facts about objects that a file cannot hold: the ETag, the content type, and the user's metadata. A record belongs to a state of a file, by
 * its inode, size, and time of change, and not to a key. It is written before the file gets its name, so that a new file never has the record
 * of the previous one, even after a crash. A file that a worker has changed has no record.
 */

export const ObjectRecord = z.object({
  /** Without quotation marks. */
  etag: z.string(),
  /** Kept headers and metadata of the user, by lowercase names. */
  headers: z.record(z.string(), z.string()),
  /** Key at the time of writing. */
  key: z.string(),
});
export type ObjectRecord = Readonly<z.infer<typeof ObjectRecord>>;

/** The parts of a file's state that identify its contents. */
export interface FileState {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** Identifies a state of a file within its volume. */
export const stateId = ({ ino, size, mtimeNs }: FileState): string =>
  [ino, size, mtimeNs].map((part) => part.toString(36)).join('-');

/** Returns the ETag of a file without a record. Its suffix tells clients that it is not an MD5 digest. */
export function derivedETag(state: FileState): string {
  return `${createHash('md5').update(stateId(state)).digest('hex')}-0`;
}

/** Number of directories that share the records of a volume. */
const DIRECTORIES = 256n;

export class ObjectRecords {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns undefined for a file that was not written as an object, or has changed since. */
  async find(state: FileState): Promise<ObjectRecord | undefined> {
    try {
      return ObjectRecord.parse(JSON.parse(await readFile(this.#fileOf(state), 'utf8')));
    } catch {
      // Without a readable record, the file still is an object.
      return undefined;
    }
  }

  /** Stores a record on disk. @throws the file system's error */
  async write(state: FileState, record: ObjectRecord): Promise<void> {
    const file = this.#fileOf(state);
    const directory = path.dirname(file);
    await makePrivateDirectory(directory);
    await writeDurably(file, JSON.stringify(record));
  }

  async remove(state: FileState): Promise<void> {
    await rm(this.#fileOf(state), { force: true }).catch(() => undefined);
  }

  /** Yields all records with their IDs, for the removal of those whose files are gone. */
  async *all(): AsyncGenerator<{ readonly id: string; readonly key: string; readonly remove: () => Promise<void> }> {
    for await (const directory of entriesOf(this.#directory)) {
      for await (const id of entriesOf(path.join(this.#directory, directory))) {
        const file = path.join(this.#directory, directory, id);
        const remove = (): Promise<void> => rm(file, { force: true });
        const { data } = ObjectRecord.safeParse(
          await readFile(file, 'utf8')
            .then(JSON.parse)
            .catch(() => undefined),
        );
        yield { id, key: data?.key ?? '', remove };
      }
    }
  }

  #fileOf(state: FileState): string {
    return path.join(this.#directory, (state.ino % DIRECTORIES).toString(36), stateId(state));
  }
}

async function* entriesOf(directory: string): AsyncGenerator<string> {
  const opened = await opendir(directory).catch(() => undefined);
  if (opened) for await (const { name } of opened) yield name;
}

/** Creates a directory with its parents, and brings the new ones to disk. @throws the file system's error */
export async function makePrivateDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = path.dirname(made))
    await syncDirectory(path.dirname(made));
}

/** Replaces a file, and brings it to disk. @throws the file system's error */
export async function writeDurably(file: string, text: string): Promise<void> {
  const temporary = `${file}.${newToken()}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncDirectory(path.dirname(file));
}
