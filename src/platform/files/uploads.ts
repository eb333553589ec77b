import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { S3_MIN_PART_BYTES } from '../../contract/s3/s3Names.ts';
import { newToken } from '../ids.ts';
import { syncDirectory } from './heldDirectory.ts';
import { KeyLocks } from '../time/pacing.ts';
import { compareKeys, type ObjectKey } from './objectKey.ts';
import { makePrivateDirectory, writeDurably } from './objectRecords.ts';
import { S3Failure } from './s3Failure.ts';
import type { CheckObject, NewFile, StoredObject, VolumeFiles } from './volumeFiles.ts';

/*
 * Multipart uploads. Each has a directory that workers do not see, with a description and a file for each part, whose name contains its number
 * and its MD5 digest. Uploads outlive the platform until they expire.
 */

/** Time after which an upload is removed, in ms: 7 days. */
const LIFETIME_MS = 7 * 86_400_000;

const Upload = z.object({ key: z.string(), headers: z.record(z.string(), z.string()), createdAt: z.number() });
type StoredUpload = z.infer<typeof Upload>;

export interface UploadEntry extends Readonly<StoredUpload> {
  readonly id: string;
}

export interface Part {
  readonly number: number;
  readonly etag: string;
  readonly size: number;
  /** In ms since the epoch. */
  readonly modifiedAt: number;
}

const DESCRIPTION = 'upload.json';
const ID = /^[\w-]{32}$/;
const PART = /^(\d{5})\.([0-9a-f]{32})$/;
const partName = (number: number, etag: string): string => `${String(number).padStart(5, '0')}.${etag}`;

export class Uploads {
  readonly #files: VolumeFiles;
  readonly #locks = new KeyLocks();

  constructor(files: VolumeFiles) {
    this.#files = files;
  }

  /** Creates an upload. Resolves with its ID once it is on disk. */
  async create({ key }: ObjectKey, headers: StoredUpload['headers'], createdAt: number): Promise<string> {
    const id = newToken();
    const directory = this.#directoryOf(id);
    await makePrivateDirectory(directory);
    await writeDurably(
      path.join(directory, DESCRIPTION),
      JSON.stringify({ key, headers, createdAt } satisfies StoredUpload),
    );
    return id;
  }

  /** @throws S3Failure NoSuchUpload */
  async get(id: string, { key }: ObjectKey): Promise<UploadEntry> {
    const upload = await this.#read(id);
    if (upload?.key !== key) throw new S3Failure('NoSuchUpload');
    return upload;
  }

  /** Returns the uploads, ordered by their keys and IDs. */
  async list(): Promise<UploadEntry[]> {
    const ids = await readdir(this.#files.uploadsDirectory).catch(() => []);
    const uploads = await Promise.all(ids.map((id) => this.#read(id)));
    return uploads
      .filter((upload) => upload !== undefined)
      .sort((one, other) => compareKeys(one.key, other.key) || compareKeys(one.id, other.id));
  }

  /** Stores a part, in place of an earlier one with its number. @throws S3Failure NoSuchUpload */
  async putPart(id: string, number: number, file: NewFile, md5: string): Promise<void> {
    await file.handle.sync();
    await this.#locks.run(id, async () => {
      const directory = this.#directoryOf(id);
      const name = partName(number, md5);
      await rename(file.path, path.join(directory, name)).catch((error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new S3Failure('NoSuchUpload') : error;
      });
      await syncDirectory(directory);
      const earlier = (await readdir(directory)).filter((one) => one !== name && one.startsWith(name.slice(0, 6)));
      await Promise.all(earlier.map((one) => rm(path.join(directory, one), { force: true })));
    });
  }

  /** Returns the parts in the order of their numbers. */
  async parts(id: string): Promise<Part[]> {
    const directory = this.#directoryOf(id);
    const names = await readdir(directory).catch(() => []);
    const parts = await Promise.all(
      names.map(async (name): Promise<Part | undefined> => {
        const [, number, etag = ''] = PART.exec(name) ?? [];
        const found = number === undefined ? undefined : await stat(path.join(directory, name)).catch(() => undefined);
        return found && { number: Number(number), etag, size: found.size, modifiedAt: found.mtimeMs };
      }),
    );
    return parts.filter((part) => part !== undefined).sort((one, other) => one.number - other.number);
  }

  /**
   * Joins the parts to an object. The upload ends once the object is on disk. Until then, all its parts remain, so that a completion that
   * fails or is killed can be repeated, also with other parts. Appending the parts to the first one would need half of the space on disk, but
   * their list would have to be stored, and other parts refused until the completion is repeated.
   *
   * @param wanted parts in ascending order
   * @throws S3Failure
   */
  async complete(
    { id, headers }: UploadEntry,
    key: ObjectKey,
    wanted: readonly Pick<Part, 'number' | 'etag'>[],
    check: CheckObject,
  ): Promise<{ readonly object: StoredObject; readonly bytes: number }> {
    return this.#locks.run(id, async () => {
      await this.get(id, key);
      const known = await this.parts(id);
      const chosen = wanted.map(({ number, etag }) =>
        known.find((part) => part.number === number && part.etag === etag),
      );
      if (chosen.length === 0 || !chosen.every((part) => part !== undefined)) throw new S3Failure('InvalidPart');
      if (wanted.some(({ number }, index) => index > 0 && number <= (wanted[index - 1]?.number ?? 0))) {
        throw new S3Failure('InvalidPartOrder');
      }
      if (chosen.slice(0, -1).some(({ size }) => size < S3_MIN_PART_BYTES)) throw new S3Failure('EntityTooSmall');
      check(await this.#files.find(key));
      const digest = createHash('md5');
      for (const { etag } of chosen) digest.update(etag, 'hex');
      const etag = `${digest.digest('hex')}-${chosen.length}`;
      const sources = chosen.map((part) => path.join(this.#directoryOf(id), partName(part.number, part.etag)));
      const [only, ...others] = sources;
      // A single part becomes the object without a copy, unless the file system has no hard links.
      const linked =
        only !== undefined && others.length === 0
          ? await this.#files.createFrom(only).catch(() => undefined)
          : undefined;
      const file = linked ?? (await this.#files.create());
      try {
        if (!linked) for (const source of sources) await append(source, file);
        const object = await this.#files.put(key, file, { etag, headers }, check);
        await this.#remove(id);
        return { object, bytes: known.reduce((sum, { size }) => sum + size, 0) };
      } finally {
        await file.dispose();
      }
    });
  }

  /** Ends an upload. @returns the size of its parts in bytes */
  abort(id: string): Promise<number> {
    return this.#locks.run(id, async () => {
      const bytes = (await this.parts(id)).reduce((sum, { size }) => sum + size, 0);
      await this.#remove(id);
      return bytes;
    });
  }

  /** Removes uploads that have expired, or whose creation was interrupted. */
  async removeExpired(now: number): Promise<void> {
    for (const id of await readdir(this.#files.uploadsDirectory).catch(() => [])) {
      const upload = await this.#read(id);
      if (upload ? upload.createdAt + LIFETIME_MS <= now : ID.test(id) && (await this.#isOld(id, now)))
        await this.#remove(id);
    }
  }

  /** Whether a directory without a description is not just being created. */
  async #isOld(id: string, now: number): Promise<boolean> {
    const found = await stat(this.#directoryOf(id)).catch(() => undefined);
    return found !== undefined && now - found.mtimeMs > 60_000;
  }

  async #read(id: string): Promise<UploadEntry | undefined> {
    if (!ID.test(id)) return undefined;
    try {
      return { id, ...Upload.parse(JSON.parse(await readFile(path.join(this.#directoryOf(id), DESCRIPTION), 'utf8'))) };
    } catch {
      return undefined;
    }
  }

  async #remove(id: string): Promise<void> {
    await rm(this.#directoryOf(id), { recursive: true, force: true });
    await syncDirectory(this.#files.uploadsDirectory);
  }

  /** @throws S3Failure NoSuchUpload for an ID that could name another directory */
  #directoryOf(id: string): string {
    if (!ID.test(id)) throw new S3Failure('NoSuchUpload');
    return path.join(this.#files.uploadsDirectory, id);
  }
}

/** Size of the parts in which files are copied, in bytes. */
const COPY_BYTES = 1_048_576;

async function append(source: string, { handle }: NewFile): Promise<void> {
  const from = await open(source, 'r');
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (;;) {
      const { bytesRead } = await from.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      await writeAll(handle, buffer.subarray(0, bytesRead));
    }
  } finally {
    await from.close();
  }
}

/** Writes all bytes at the current position. The system may write only a part of them. */
export async function writeAll(handle: NewFile['handle'], bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}
