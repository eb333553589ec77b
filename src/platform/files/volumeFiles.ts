import { link, lstat, mkdir, open, realpath, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { newToken } from '../ids.ts';
import { BlockedPath, holdDirectory, makeDirectory, openFile, type HeldDirectory } from './heldDirectory.ts';
import { KeyLocks } from '../time/pacing.ts';
import { parseKey, type ObjectKey } from './objectKey.ts';
import { derivedETag, ObjectRecords, stateId, type FileState, type ObjectRecord } from './objectRecords.ts';
import { S3Failure } from './s3Failure.ts';
import type { Clock } from '../time/clock.ts';
import { SortedDirectories } from './sortedDirectories.ts';

/** An object: a file of a volume, or a directory, whose key ends with a slash. */
export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** In ms since the epoch. */
  readonly modifiedAt: number;
  /** Without quotation marks. */
  readonly etag: string;
  /** Kept headers and metadata of the user. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface OpenObject {
  readonly object: StoredObject;
  readonly handle: FileHandle;
}

/** Contents that have arrived but have no key yet. */
export interface NewFile {
  readonly handle: FileHandle;
  readonly path: string;
  /** Closes the file, and removes it unless it has a key. */
  dispose(): Promise<void>;
}

/** Checks a condition of a request. @throws S3Failure */
export type CheckObject = (current: StoredObject | undefined) => void;

type Facts = Pick<ObjectRecord, 'etag' | 'headers'>;

/**
 * By how much the time of a new file precedes its last write, in ms. The clock of a file system advances in steps of up to 10 ms, so that a
 * worker could otherwise change a file without changing its time.
 */
const BEFORE_MS = 20;

/** MD5 digest of no bytes. */
const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

/** The files of one volume as objects. Workers read and write the same files. */
export class VolumeFiles {
  readonly records: ObjectRecords;
  readonly directories: SortedDirectories;
  readonly #directory: string;
  readonly #state: string;
  readonly #locks = new KeyLocks();

  /**
   * @param directory directory that workers mount
   * @param state directory on the same file system that workers do not see, for new files, multipart uploads, and records
   * @param clock real time, for listings of large directories in pages
   */
  constructor(directory: string, state: string, clock?: Clock) {
    this.#directory = directory;
    this.#state = state;
    this.directories = new SortedDirectories(clock);
    this.records = new ObjectRecords(path.join(state, 'objects'));
  }

  get uploadsDirectory(): string {
    return path.join(this.#state, 'uploads');
  }

  /** Returns the path of the volume without links. @throws the file system's error */
  root(): Promise<string> {
    return realpath(this.#directory);
  }

  /** Removes new files that an earlier process left. */
  async removeNewFiles(): Promise<void> {
    await rm(this.#newFiles, { recursive: true, force: true });
  }

  /** Removes the records whose files are gone. */
  async removeOldRecords(signal: AbortSignal): Promise<void> {
    for await (const { id, key, remove } of this.records.all()) {
      if (signal.aborted) return;
      await this.#locks.run(key, async () => {
        const state = await this.#stateAt(key);
        if (!state || stateId(state) !== id) await remove();
      });
    }
  }

  async #stateAt(key: string): Promise<FileState | undefined> {
    try {
      return await this.#within(parseKey(key), (held, name) => lstat(held.at(name), { bigint: true }));
    } catch {
      return undefined;
    }
  }

  /** Opens an object; undefined if there is none. @throws S3Failure; the file system's error */
  async open(key: ObjectKey): Promise<OpenObject | undefined> {
    if (key.isDirectory) return undefined;
    const root = await this.root();
    const handle = await this.#within(key, (held, name) => openFile(root, held, name));
    if (!handle) return undefined;
    try {
      return { object: await this.#describe(key.key, await handle.stat({ bigint: true })), handle };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns an object or a directory; undefined if there is none. @throws the file system's error */
  async find(key: ObjectKey): Promise<StoredObject | undefined> {
    if (key.isDirectory) return this.#findDirectory(key);
    const found = await this.open(key);
    await found?.handle.close();
    return found?.object;
  }

  async #findDirectory({ key, names }: ObjectKey): Promise<StoredObject | undefined> {
    const held = await holdDirectory(await this.root(), names).catch(ignoreBlocked);
    if (!held) return undefined;
    try {
      return await describeDirectory(held, key);
    } finally {
      await held.close();
    }
  }

  /** Describes an entry of a held directory as an object; undefined unless it is a file, or a link to one inside the volume. */
  async describeEntry(root: string, held: HeldDirectory, name: string, key: string): Promise<StoredObject | undefined> {
    const found = await lstat(held.at(name), { bigint: true }).catch(() => undefined);
    if (found?.isFile() === true) return this.#describe(key, found);
    if (found?.isSymbolicLink() !== true) return undefined;
    const handle = await openFile(root, held, name).catch(() => undefined);
    try {
      return handle && (await this.#describe(key, await handle.stat({ bigint: true })));
    } finally {
      await handle?.close();
    }
  }

  async #describe(key: string, state: FileState & { readonly mtimeMs: bigint }): Promise<StoredObject> {
    const { etag, headers } = await this.#factsOf(state);
    return { key, size: Number(state.size), modifiedAt: Number(state.mtimeMs), etag, headers };
  }

  async #factsOf(state: FileState): Promise<Facts> {
    return (await this.records.find(state)) ?? { etag: derivedETag(state), headers: {} };
  }

  /** Creates a file for contents that arrive. @throws the file system's error */
  async create(): Promise<NewFile> {
    await mkdir(this.#newFiles, { recursive: true, mode: 0o700 });
    const file = path.join(this.#newFiles, newToken());
    const handle = await open(file, 'wx+');
    const dispose = async (): Promise<void> => {
      await handle.close().catch(() => undefined);
      await rm(file, { force: true }).catch(() => undefined);
    };
    return { handle, path: file, dispose };
  }

  /** As `create`, with the contents of a file on the same file system, which is not copied. @throws the file system's error */
  async createFrom(source: string): Promise<NewFile> {
    await mkdir(this.#newFiles, { recursive: true, mode: 0o700 });
    const file = path.join(this.#newFiles, newToken());
    await link(source, file);
    const handle = await open(file, 'r+');
    const dispose = async (): Promise<void> => {
      await handle.close().catch(() => undefined);
      await rm(file, { force: true }).catch(() => undefined);
    };
    return { handle, path: file, dispose };
  }

  /**
   * Gives a new file its key. Replaces the object with the same key atomically. Resolves once the object is on disk.
   *
   * @throws S3Failure KeyIsDirectory, ParentIsFile, OperationAborted, or that of the check; the file system's error
   */
  async put(key: ObjectKey, file: NewFile, facts: Facts, check?: CheckObject): Promise<StoredObject> {
    const { mtimeMs } = await file.handle.stat();
    const time = (mtimeMs - BEFORE_MS) / 1_000;
    await file.handle.utimes(time, time);
    await file.handle.sync();
    const state = await file.handle.stat({ bigint: true });
    return this.#change(key, async (held, name) => {
      const before = await lstat(held.at(name), { bigint: true }).catch(ignoreMissing);
      if (before?.isDirectory() === true) throw new S3Failure('KeyIsDirectory');
      check?.(await this.find(key));
      await this.records.write(state, { ...facts, key: key.key });
      try {
        await rename(file.path, held.at(name));
      } catch (error) {
        await this.records.remove(state);
        throw error;
      }
      await held.sync();
      if (before?.isFile() === true) await this.records.remove(before);
      return { key: key.key, size: Number(state.size), modifiedAt: Number(state.mtimeMs), ...facts };
    });
  }

  /** Replaces the headers of an object without a copy of its contents. @throws S3Failure */
  async replaceHeaders(
    key: ObjectKey,
    headers: Facts['headers'],
    check: CheckObject,
  ): Promise<StoredObject | undefined> {
    return this.#locks.run(key.key, async () => {
      const found = await this.open(key);
      if (!found) return undefined;
      try {
        check(found.object);
        const { etag } = found.object;
        await this.records.write(await found.handle.stat({ bigint: true }), { etag, headers, key: key.key });
        return { ...found.object, headers };
      } finally {
        await found.handle.close();
      }
    });
  }

  /** Creates a directory. Resolves once it is on disk. @throws S3Failure ParentIsFile */
  async putDirectory({ key, names }: ObjectKey): Promise<StoredObject> {
    const held = await makeDirectory(await this.root(), names).catch(blockedFailure);
    await held.close();
    return directoryObject(key, Date.now());
  }

  /**
   * Removes an object, or an empty directory. Does nothing if there is none. Resolves once the removal is on disk.
   *
   * @returns the size of the removed file in bytes. @throws S3Failure; the file system's error
   */
  async remove(key: ObjectKey, check?: CheckObject): Promise<number> {
    return this.#locks.run(key.key, async () => {
      check?.(await this.find(key));
      const removed = await this.#within(key, async (held, name) => {
        const found = await lstat(held.at(name), { bigint: true });
        if (found.isDirectory() !== key.isDirectory) return 0;
        if (key.isDirectory) await rmdir(held.at(name)).catch(ignoreFull);
        else await unlink(held.at(name));
        await held.sync();
        if (!found.isFile()) return 0;
        await this.records.remove(found);
        return Number(found.size);
      });
      return removed ?? 0;
    });
  }

  get #newFiles(): string {
    return path.join(this.#state, 'new');
  }

  /** Runs work in the directory of a key; undefined if there is no such directory or entry. */
  async #within<Result>(
    { names }: ObjectKey,
    work: (held: HeldDirectory, name: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    const held = await holdDirectory(await this.root(), names.slice(0, -1)).catch(ignoreBlocked);
    if (!held) return undefined;
    try {
      return await work(held, names.at(-1) ?? '');
    } catch (error) {
      ignoreMissing(error);
      return undefined;
    } finally {
      await held.close();
    }
  }

  /** Runs a change in the directory of a key, which it creates. Tries again if another program removes the directory at the same time. */
  #change<Result>(
    { key, names }: ObjectKey,
    work: (held: HeldDirectory, name: string) => Promise<Result>,
  ): Promise<Result> {
    return this.#locks.run(key, async () => {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        try {
          const held = await makeDirectory(await this.root(), names.slice(0, -1)).catch(blockedFailure);
          try {
            return await work(held, names.at(-1) ?? '');
          } finally {
            await held.close();
          }
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === 'EISDIR') throw new S3Failure('KeyIsDirectory');
          if (code !== 'ENOENT') throw error;
        }
      }
      throw new S3Failure('OperationAborted');
    });
  }
}

const MAX_ATTEMPTS = 3;

function directoryObject(key: string, modifiedAt: number): StoredObject {
  return { key, size: 0, modifiedAt, etag: EMPTY_MD5, headers: {} };
}

/** Describes a held directory as an object. */
export async function describeDirectory(held: HeldDirectory, key: string): Promise<StoredObject> {
  return directoryObject(key, (await lstat(held.at('.'))).mtimeMs);
}

function ignoreBlocked(error: unknown): undefined {
  if (!(error instanceof BlockedPath)) throw error;
}

function blockedFailure(error: unknown): never {
  throw error instanceof BlockedPath ? new S3Failure('ParentIsFile') : error;
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** A directory with entries remains. Its objects still need it. */
function ignoreFull(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
}
